// Generated from src/access/model.fga by `npm run generate`. Do not edit.
import type { CompiledModel } from './engine/index.js';

export const shippedModel: CompiledModel = {
  "format": 1,
  "types": [
    {
      "name": "principal",
      "relations": [
        {
          "name": "parent",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            }
          ]
        }
      ]
    },
    {
      "name": "role",
      "relations": [
        {
          "name": "member",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            }
          ]
        }
      ]
    },
    {
      "name": "zone",
      "relations": [
        {
          "name": "admin",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            }
          ]
        },
        {
          "name": "member",
          "rewrite": {
            "kind": "or",
            "of": [
              {
                "kind": "direct"
              },
              {
                "kind": "computed",
                "relation": "admin"
              }
            ]
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            }
          ]
        }
      ]
    },
    {
      "name": "profile",
      "relations": [
        {
          "name": "assignee",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            }
          ]
        }
      ]
    },
    {
      "name": "group",
      "relations": [
        {
          "name": "seer",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            },
            {
              "type": "principal",
              "condition": "not_expired"
            },
            {
              "type": "role",
              "relation": "member",
              "condition": "not_expired"
            },
            {
              "type": "profile",
              "relation": "assignee",
              "condition": "not_expired"
            }
          ]
        },
        {
          "name": "caller",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            },
            {
              "type": "principal",
              "condition": "not_expired"
            },
            {
              "type": "role",
              "relation": "member",
              "condition": "not_expired"
            },
            {
              "type": "profile",
              "relation": "assignee",
              "condition": "not_expired"
            }
          ]
        },
        {
          "name": "blocked",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            }
          ]
        }
      ]
    },
    {
      "name": "provider",
      "relations": [
        {
          "name": "group",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "group"
            }
          ]
        },
        {
          "name": "seer",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            },
            {
              "type": "principal",
              "condition": "not_expired"
            },
            {
              "type": "role",
              "relation": "member",
              "condition": "not_expired"
            },
            {
              "type": "profile",
              "relation": "assignee",
              "condition": "not_expired"
            }
          ]
        },
        {
          "name": "caller",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            },
            {
              "type": "principal",
              "condition": "not_expired"
            },
            {
              "type": "role",
              "relation": "member",
              "condition": "not_expired"
            },
            {
              "type": "profile",
              "relation": "assignee",
              "condition": "not_expired"
            }
          ]
        },
        {
          "name": "blocked",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            }
          ]
        },
        {
          "name": "barred",
          "rewrite": {
            "kind": "or",
            "of": [
              {
                "kind": "computed",
                "relation": "blocked"
              },
              {
                "kind": "through",
                "tupleset": "group",
                "relation": "blocked"
              }
            ]
          },
          "direct": []
        },
        {
          "name": "see",
          "rewrite": {
            "kind": "not",
            "base": {
              "kind": "or",
              "of": [
                {
                  "kind": "computed",
                  "relation": "seer"
                },
                {
                  "kind": "computed",
                  "relation": "caller"
                },
                {
                  "kind": "through",
                  "tupleset": "group",
                  "relation": "seer"
                },
                {
                  "kind": "through",
                  "tupleset": "group",
                  "relation": "caller"
                }
              ]
            },
            "subtract": {
              "kind": "computed",
              "relation": "barred"
            }
          },
          "direct": []
        },
        {
          "name": "call",
          "rewrite": {
            "kind": "not",
            "base": {
              "kind": "or",
              "of": [
                {
                  "kind": "computed",
                  "relation": "caller"
                },
                {
                  "kind": "through",
                  "tupleset": "group",
                  "relation": "caller"
                }
              ]
            },
            "subtract": {
              "kind": "computed",
              "relation": "barred"
            }
          },
          "direct": []
        }
      ]
    },
    {
      "name": "tool",
      "relations": [
        {
          "name": "provider",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "provider"
            }
          ]
        },
        {
          "name": "group",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "group"
            }
          ]
        },
        {
          "name": "seer",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            },
            {
              "type": "principal",
              "wildcard": true
            },
            {
              "type": "principal",
              "condition": "not_expired"
            },
            {
              "type": "role",
              "relation": "member",
              "condition": "not_expired"
            },
            {
              "type": "profile",
              "relation": "assignee",
              "condition": "not_expired"
            }
          ]
        },
        {
          "name": "caller",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            },
            {
              "type": "principal",
              "condition": "not_expired"
            },
            {
              "type": "role",
              "relation": "member",
              "condition": "not_expired"
            },
            {
              "type": "profile",
              "relation": "assignee",
              "condition": "not_expired"
            }
          ]
        },
        {
          "name": "blocked",
          "rewrite": {
            "kind": "direct"
          },
          "direct": [
            {
              "type": "principal"
            },
            {
              "type": "role",
              "relation": "member"
            },
            {
              "type": "profile",
              "relation": "assignee"
            }
          ]
        },
        {
          "name": "barred",
          "rewrite": {
            "kind": "or",
            "of": [
              {
                "kind": "computed",
                "relation": "blocked"
              },
              {
                "kind": "through",
                "tupleset": "provider",
                "relation": "blocked"
              },
              {
                "kind": "through",
                "tupleset": "group",
                "relation": "blocked"
              }
            ]
          },
          "direct": []
        },
        {
          "name": "see",
          "rewrite": {
            "kind": "not",
            "base": {
              "kind": "or",
              "of": [
                {
                  "kind": "computed",
                  "relation": "seer"
                },
                {
                  "kind": "computed",
                  "relation": "caller"
                },
                {
                  "kind": "through",
                  "tupleset": "provider",
                  "relation": "seer"
                },
                {
                  "kind": "through",
                  "tupleset": "provider",
                  "relation": "caller"
                },
                {
                  "kind": "through",
                  "tupleset": "group",
                  "relation": "seer"
                },
                {
                  "kind": "through",
                  "tupleset": "group",
                  "relation": "caller"
                }
              ]
            },
            "subtract": {
              "kind": "computed",
              "relation": "barred"
            }
          },
          "direct": []
        },
        {
          "name": "call",
          "rewrite": {
            "kind": "not",
            "base": {
              "kind": "or",
              "of": [
                {
                  "kind": "computed",
                  "relation": "caller"
                },
                {
                  "kind": "through",
                  "tupleset": "provider",
                  "relation": "caller"
                },
                {
                  "kind": "through",
                  "tupleset": "group",
                  "relation": "caller"
                }
              ]
            },
            "subtract": {
              "kind": "computed",
              "relation": "barred"
            }
          },
          "direct": []
        }
      ]
    }
  ],
  "conditions": [
    {
      "name": "not_expired",
      "expression": "now < until",
      "parameters": [
        {
          "name": "now",
          "type": {
            "kind": "timestamp"
          }
        },
        {
          "name": "until",
          "type": {
            "kind": "timestamp"
          }
        }
      ]
    }
  ]
};

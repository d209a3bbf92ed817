// A plugin on HashiCorp's own go-plugin library, for run.mjs. The messages are plain structs: their tags say field numbers.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

type empty struct{}

func (*empty) Reset()         {}
func (*empty) String() string { return "" }
func (*empty) ProtoMessage()  {}

type getInfoResponse struct {
	Name    string `protobuf:"bytes,1,opt,name=name,proto3"`
	Version string `protobuf:"bytes,2,opt,name=version,proto3"`
}

func (m *getInfoResponse) Reset()         { *m = getInfoResponse{} }
func (m *getInfoResponse) String() string { return fmt.Sprint(*m) }
func (*getInfoResponse) ProtoMessage()    {}

type initRequest struct {
	Config map[string][]byte `protobuf:"bytes,1,rep,name=config,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
}

func (m *initRequest) Reset()         { *m = initRequest{} }
func (m *initRequest) String() string { return fmt.Sprint(*m) }
func (*initRequest) ProtoMessage()    {}

type inputSchema struct {
	Name     string `protobuf:"bytes,1,opt,name=name,proto3"`
	Type     string `protobuf:"bytes,2,opt,name=type,proto3"`
	Required bool   `protobuf:"varint,3,opt,name=required,proto3"`
	Default  string `protobuf:"bytes,4,opt,name=default,proto3"`
}

func (m *inputSchema) Reset()         { *m = inputSchema{} }
func (m *inputSchema) String() string { return fmt.Sprint(*m) }
func (*inputSchema) ProtoMessage()    {}

type operationSchema struct {
	Name        string         `protobuf:"bytes,1,opt,name=name,proto3"`
	Description string         `protobuf:"bytes,2,opt,name=description,proto3"`
	Inputs      []*inputSchema `protobuf:"bytes,3,rep,name=inputs,proto3"`
}

func (m *operationSchema) Reset()         { *m = operationSchema{} }
func (m *operationSchema) String() string { return fmt.Sprint(*m) }
func (*operationSchema) ProtoMessage()    {}

type listOperationsResponse struct {
	Operations []*operationSchema `protobuf:"bytes,1,rep,name=operations,proto3"`
}

func (m *listOperationsResponse) Reset()         { *m = listOperationsResponse{} }
func (m *listOperationsResponse) String() string { return fmt.Sprint(*m) }
func (*listOperationsResponse) ProtoMessage()    {}

type executeRequest struct {
	Operation string            `protobuf:"bytes,1,opt,name=operation,proto3"`
	Inputs    map[string][]byte `protobuf:"bytes,2,rep,name=inputs,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
}

func (m *executeRequest) Reset()         { *m = executeRequest{} }
func (m *executeRequest) String() string { return fmt.Sprint(*m) }
func (*executeRequest) ProtoMessage()    {}

type executeResponse struct {
	Success bool              `protobuf:"varint,1,opt,name=success,proto3"`
	Output  string            `protobuf:"bytes,2,opt,name=output,proto3"`
	Data    map[string][]byte `protobuf:"bytes,3,rep,name=data,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
	Error   string            `protobuf:"bytes,4,opt,name=error,proto3"`
}

func (m *executeResponse) Reset()         { *m = executeResponse{} }
func (m *executeResponse) String() string { return fmt.Sprint(*m) }
func (*executeResponse) ProtoMessage()    {}

func execute(request *executeRequest) *executeResponse {
	switch request.Operation {
	case "echo":
		var text, prefix string
		_ = json.Unmarshal(request.Inputs["text"], &text)
		_ = json.Unmarshal(request.Inputs["prefix"], &prefix)
		said, _ := json.Marshal(text)
		return &executeResponse{Success: true, Output: prefix + text, Data: map[string][]byte{"text": said}}
	case "panic":
		os.Exit(3)
	case "chatter":
		for i := 0; i < 5000; i++ {
			fmt.Println("noise on standard output", i)
			fmt.Fprintln(os.Stderr, "noise on standard error", i)
		}
		return &executeResponse{Success: true, Output: "still here"}
	}
	return &executeResponse{Error: "unknown operation: " + request.Operation}
}

// unary serves one method: `make` gives what is read into, `answer` what is sent back.
func unary(name string, make func() interface{}, answer func(interface{}) interface{}) grpc.MethodDesc {
	return grpc.MethodDesc{
		MethodName: name,
		Handler: func(_ interface{}, _ context.Context, decode func(interface{}) error, _ grpc.UnaryServerInterceptor) (interface{}, error) {
			in := make()
			if err := decode(in); err != nil {
				return nil, err
			}
			return answer(in), nil
		},
	}
}

func newEmpty() interface{}                 { return new(empty) }
func toEmpty(interface{}) interface{}       { return new(empty) }
func newInit() interface{}                  { return new(initRequest) }
func newExecute() interface{}               { return new(executeRequest) }
func toInfo(interface{}) interface{}        { return &getInfoResponse{Name: "gopeer", Version: "1.0.0"} }
func toExecuted(in interface{}) interface{} { return execute(in.(*executeRequest)) }
func toOperations(interface{}) interface{} {
	return &listOperationsResponse{Operations: []*operationSchema{
		{Name: "echo", Description: "Says it again.", Inputs: []*inputSchema{
			{Name: "text", Type: "string", Required: true},
			{Name: "prefix", Type: "string"},
			{Name: "times", Type: "integer", Default: "1"},
		}},
		{Name: "panic", Description: "Dies."},
		{Name: "chatter", Description: "Floods its output."},
	}}
}

type served struct{ plugin.NetRPCUnsupportedPlugin }

func (served) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (interface{}, error) {
	return nil, nil
}

func (served) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	any := (*interface{})(nil)
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "plugin.v1.PluginService", HandlerType: any, Methods: []grpc.MethodDesc{
		unary("GetInfo", newEmpty, toInfo),
		unary("Init", newInit, toEmpty),
		unary("Shutdown", newEmpty, toEmpty),
	}}, struct{}{})
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "plugin.v1.OperationService", HandlerType: any, Methods: []grpc.MethodDesc{
		unary("ListOperations", newEmpty, toOperations),
		unary("Execute", newExecute, toExecuted),
	}}, struct{}{})
	return nil
}

func main() {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "AWF_PLUGIN", MagicCookieValue: "awf-plugin-v1"},
		Plugins:         map[string]plugin.Plugin{"awf-plugin": served{}},
		GRPCServer:      plugin.DefaultGRPCServer,
	})
}

// A host on HashiCorp's own go-plugin library: it starts the program that it is given and calls it. For run.mjs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/ioutil"
	"os"
	"os/exec"

	hclog "github.com/hashicorp/go-hclog"
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

type operationSchema struct {
	Name string `protobuf:"bytes,1,opt,name=name,proto3"`
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

type called struct{ plugin.NetRPCUnsupportedPlugin }

func (called) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }
func (called) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, line *grpc.ClientConn) (interface{}, error) {
	return line, nil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		plugin.CleanupClients()
		os.Exit(1)
	}
}

func main() {
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "AWF_PLUGIN", MagicCookieValue: "awf-plugin-v1"},
		Plugins:          map[string]plugin.Plugin{"awf-plugin": called{}},
		Cmd:              exec.Command(os.Args[1]),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		Logger:           hclog.New(&hclog.LoggerOptions{Output: ioutil.Discard}),
	})
	protocol, err := client.Client()
	check(err)
	check(protocol.Ping())
	dispensed, err := protocol.Dispense("awf-plugin")
	check(err)
	line := dispensed.(*grpc.ClientConn)
	ctx := context.Background()
	info := new(getInfoResponse)
	check(line.Invoke(ctx, "/plugin.v1.PluginService/GetInfo", new(empty), info))
	listed := new(listOperationsResponse)
	check(line.Invoke(ctx, "/plugin.v1.OperationService/ListOperations", new(empty), listed))
	executed := new(executeResponse)
	request := &executeRequest{Operation: "add", Inputs: map[string][]byte{"title": []byte(`"milk"`), "text": []byte(`"buy it"`)}}
	check(line.Invoke(ctx, "/plugin.v1.OperationService/Execute", request, executed))
	names := []string{}
	for _, operation := range listed.Operations {
		names = append(names, operation.Name)
	}
	client.Kill()
	report := map[string]interface{}{
		"name": info.Name, "operations": names, "success": executed.Success, "output": executed.Output,
		"count": string(executed.Data["count"]), "error": executed.Error, "exited": client.Exited(),
	}
	text, err := json.Marshal(report)
	check(err)
	fmt.Println(string(text))
}

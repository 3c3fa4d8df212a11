package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	api "k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"
)

// print is kubectl get pod and kubectl describe pod.  Ages are told by the machine's clock, so that a case's instants are moved
// to where its `now` is this moment.
func print(req *request) (any, error) {
	shift := time.Since(instant(req.Now))
	pod := &v1.Pod{}
	if err := json.Unmarshal(req.Pod, pod); err != nil {
		return nil, err
	}
	move(pod.Status.InitContainerStatuses, shift)
	move(pod.Status.ContainerStatuses, shift)
	columns, err := columnsOf(pod)
	if err != nil {
		return nil, err
	}
	lines := probeLines(pod)
	return map[string]any{"columns": columns, "describe": append(lines, eventLines(pod, req.Events, shift)...)}, nil
}

func move(statuses []v1.ContainerStatus, shift time.Duration) {
	for i := range statuses {
		if ended := statuses[i].LastTerminationState.Terminated; ended != nil && !ended.FinishedAt.IsZero() {
			ended.FinishedAt = metav1.NewTime(ended.FinishedAt.Add(shift))
		}
	}
}

func columnsOf(pod *v1.Pod) (map[string]string, error) {
	internal := &api.Pod{}
	if err := corev1.Convert_v1_Pod_To_core_Pod(pod, internal, nil); err != nil {
		return nil, err
	}
	generator := printers.NewTableGenerator()
	internalversion.AddHandlers(generator)
	table, err := generator.GenerateTable(internal, tableOptions)
	if err != nil {
		return nil, err
	}
	columns := map[string]string{}
	for i, column := range table.ColumnDefinitions {
		if i >= 1 && i <= 3 {
			columns[strings.ToUpper(column.Name)] = fmt.Sprint(table.Rows[0].Cells[i])
		}
	}
	return columns, nil
}

func probeLines(pod *v1.Pod) []string {
	lines := []string{}
	for _, list := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, c := range list {
			for _, probe := range []struct {
				name  string
				probe *v1.Probe
			}{{"Liveness", c.LivenessProbe}, {"Readiness", c.ReadinessProbe}, {"Startup", startupProbe(&c)}} {
				if probe.probe != nil {
					lines = append(lines, c.Name+" "+probe.name+": "+describeProbe(probe.probe))
				}
			}
		}
	}
	return lines
}

// tabs keeps what describe writes as it is written: a row of columns with tabs between.
type tabs struct{ bytes.Buffer }

func (t *tabs) Write(_ int, format string, a ...any) { fmt.Fprintf(&t.Buffer, format, a...) }
func (t *tabs) WriteLine(a ...any)                   { fmt.Fprintln(&t.Buffer, a...) }
func (t *tabs) Flush()                               {}

// eventLines has one line an event: the columns but From, with a space between.
func eventLines(pod *v1.Pod, events []event, shift time.Duration) []string {
	lines := []string{}
	list := &v1.EventList{}
	for _, e := range events {
		list.Items = append(list.Items, v1.Event{
			InvolvedObject: v1.ObjectReference{FieldPath: fieldPath(pod, e.Container)},
			Type:           e.Type, Reason: e.Reason, Message: strings.ReplaceAll(e.Message, "\n", "\v"), Count: e.Count,
			FirstTimestamp: metav1.NewTime(instant(e.First).Add(shift)), LastTimestamp: metav1.NewTime(instant(e.Last).Add(shift)),
			Source: v1.EventSource{Component: "kubelet"},
		})
	}
	out := &tabs{}
	describeEvents(list, out)
	for _, row := range strings.Split(out.String(), "\n") {
		cells := strings.SplitN(row, "\t", 5)
		if len(cells) == 5 && cells[0] != "  Type" && cells[0] != "----" {
			lines = append(lines, strings.ReplaceAll(strings.Join([]string{cells[0], cells[1], cells[2], cells[4]}, " "), "\v", "\n"))
		}
	}
	return lines
}

func fieldPath(pod *v1.Pod, container string) string {
	for _, c := range pod.Spec.InitContainers {
		if c.Name == container {
			return "spec.initContainers{" + container + "}"
		}
	}
	if container == "" {
		return ""
	}
	return "spec.containers{" + container + "}"
}

package main

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The event recorder that a kubelet accepts in a test drops the container an event is about, and
// ExecSync does not say which probe it serves. So each container gets an image of its own and
// each probe and hook a command of its own, and what the kubelet prints is translated back.

const (
	probeWord  = "probetest-probe"
	hookWord   = "probetest-hook"
	imageHost  = "probetest.invalid/"
	markBefore = "\x01"
	markAfter  = "\x02"
	// withoutCode stands before an error that came over a socket without a code (to 1.17).
	withoutCode = "rpc error: code = Code(99) desc = "
)

var (
	markPattern   = regexp.MustCompile(markBefore + "([^" + markAfter + "]*)" + markAfter)
	hookPattern   = regexp.MustCompile(`\[` + hookWord + ` ([^\]]*)\]`)
	httpPattern   = regexp.MustCompile(`Exec lifecycle hook \(\[` + hookWord + ` ([^\]]*)\]\)`)
	quotedPattern = regexp.MustCompile(`'` + hookWord + ` ([^']*)'`)
	imagePattern  = regexp.MustCompile(regexp.QuoteMeta(imageHost) + `([a-z0-9-]+):v(\d+)`)
)

// names remembers what was given a name of its own.
type names struct {
	images   map[string]string   // our image -> the pod's
	number   map[string]int      // container/original image -> version
	commands map[string][]string // key -> original command, nil for another handler
	paths    map[string]string   // key -> path of an HTTP hook
}

func newNames() *names {
	return &names{map[string]string{}, map[string]int{}, map[string][]string{}, map[string]string{}}
}

// rewrite returns a copy of the API's pod that the kubelet can be given: own images and commands,
// no volumes (there is no node to mount them on).
func (n *names) rewrite(pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	pod.Spec.Volumes = nil
	for _, list := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			n.container(pod.Name, &list[i])
		}
	}
	others := ephemeral(pod)
	for i := range others {
		n.container(pod.Name, &others[i])
	}
	setEphemeral(pod, others)
	return pod
}

func (n *names) container(pod string, c *v1.Container) {
	key := c.Name + "/" + c.Image
	if n.number[key] == 0 {
		n.number[key] = len(n.number) + 1
	}
	ours := fmt.Sprintf("%s%s:v%d", imageHost, c.Name, n.number[key])
	n.images[ours] = c.Image
	c.Image = ours
	c.VolumeMounts = nil
	c.EnvFrom = nil
	n.probe(keyOf(pod, c.Name, "liveness"), c.LivenessProbe)
	n.probe(keyOf(pod, c.Name, "readiness"), c.ReadinessProbe)
	n.probe(keyOf(pod, c.Name, "startup"), startupOf(c))
	if c.Lifecycle != nil {
		n.hook(keyOf(pod, c.Name, "postStart"), c.Lifecycle.PostStart)
		n.hook(keyOf(pod, c.Name, "preStop"), c.Lifecycle.PreStop)
	}
}

// keyOf says whose a command is; splitKey takes it apart.
func keyOf(pod, container, kind string) string { return pod + "/" + container + "/" + kind }

func splitKey(key string) (pod, container, kind string) {
	parts := strings.SplitN(key+"//", "/", 4)
	return parts[0], parts[1], parts[2]
}

// typeOf is an apiVersion with a pod's name in it, since the recorder prints that of an event's object
// and not its name; podOf finds it there.
func typeOf(pod string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: "Pod", APIVersion: "probetest/" + pod}
}

func podOf(apiVersion string) string { return strings.TrimPrefix(apiVersion, "probetest/") }

func (n *names) probe(key string, p *v1.Probe) {
	if p == nil || !hasHandler(p) {
		return
	}
	n.commands[key] = nil
	if p.Exec != nil {
		n.commands[key] = p.Exec.Command
	}
	handle(p, &v1.ExecAction{Command: []string{probeWord, key}})
}

// hook leaves a sleep to the kubelet, which does it itself, in virtual time.
func (n *names) hook(key string, h *hookHandler) {
	if h == nil || (h.Exec == nil && h.HTTPGet == nil) {
		return
	}
	n.commands[key] = nil
	if h.Exec != nil {
		n.commands[key] = h.Exec.Command
	}
	if h.HTTPGet != nil {
		n.paths[key] = h.HTTPGet.Path
	}
	h.HTTPGet = nil
	h.Exec = &v1.ExecAction{Command: []string{hookWord, key}}
}

// mark hides in a probe's output whose it is; strip finds it again.
func mark(key string) string { return markBefore + key + markAfter }

func strip(text string) (clean, key string) {
	if m := markPattern.FindStringSubmatch(text); m != nil {
		key = m[1]
	}
	return markPattern.ReplaceAllString(text, ""), key
}

// restore puts the pod's own image names and hook commands back into a text.
func (n *names) restore(text string) string {
	text = strings.ReplaceAll(text, withoutCode, "")
	text = httpPattern.ReplaceAllStringFunc(text, func(ours string) string {
		if path, ok := n.paths[httpPattern.FindStringSubmatch(ours)[1]]; ok {
			return httpHook + " lifecycle hook (" + path + ")"
		}
		return ours
	})
	text = hookPattern.ReplaceAllStringFunc(text, func(ours string) string {
		return fmt.Sprint(n.commands[hookPattern.FindStringSubmatch(ours)[1]])
	})
	text = quotedPattern.ReplaceAllStringFunc(text, func(ours string) string {
		return "'" + strings.Join(n.commands[quotedPattern.FindStringSubmatch(ours)[1]], " ") + "'"
	})
	if !strings.Contains(text, imageHost) {
		return text
	}
	ours := make([]string, 0, len(n.images))
	for image := range n.images {
		ours = append(ours, image)
	}
	sort.Slice(ours, func(i, j int) bool { return len(ours[i]) > len(ours[j]) })
	for _, image := range ours {
		text = strings.ReplaceAll(text, image, n.images[image])
	}
	return text
}

// imageOwner is the container whose image the text names, or "".
func (n *names) imageOwner(text string) string {
	if m := imagePattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

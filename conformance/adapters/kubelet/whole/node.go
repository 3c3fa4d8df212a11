package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	cadvisortest "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/util/oom"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/util/subpath"
)

// The host's name is an address, so that the kubelet need not look it up in the DNS: a wait for the
// network would stop the bubble's clock.
const (
	nodeName = hostIP
	hostIP   = "10.1.0.1"
)

// quietOS is the real operating system but for /var, which is not ours to write to.
type quietOS struct {
	kubecontainer.RealOS
	w *world
}

// Glob is how a collection of dead containers ends: it looks for the logs of those that have gone.
func (o quietOS) Glob(pattern string) ([]string, error) {
	if strings.HasPrefix(pattern, "/var/log/containers/") {
		o.w.napCollection()
	}
	return o.RealOS.Glob(pattern)
}

func (o quietOS) MkdirAll(path string, perm os.FileMode) error {
	if strings.HasPrefix(path, "/var/") {
		return nil
	}
	return o.RealOS.MkdirAll(path, perm)
}

func (o quietOS) Symlink(old, path string) error {
	if strings.HasPrefix(path, "/var/") {
		return nil
	}
	return o.RealOS.Symlink(old, path)
}

// cadvisor is the kubelet's own fake. Its Start is called between the making of the kubelet's
// directories and the start of the plugin watcher, whose inotify would never be durably blocked:
// a plain file in the place of the directory makes the watcher fail, which is only logged.
type cadvisor struct {
	*cadvisortest.Fake
	root string
}

func (c cadvisor) Start() error {
	path := filepath.Join(c.root, "plugins_registry")
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

var lots = v1.ResourceList{
	v1.ResourceCPU: resource.MustParse("256"), v1.ResourceMemory: resource.MustParse("4Ti"),
	v1.ResourcePods: resource.MustParse("110"), v1.ResourceEphemeralStorage: resource.MustParse("4Ti")}

func bigNode() *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName, Labels: map[string]string{
			v1.LabelHostname: nodeName, v1.LabelOSStable: "linux", v1.LabelArchStable: "amd64"}},
		Status: v1.NodeStatus{Capacity: lots, Allocatable: lots,
			Addresses:  []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: hostIP}},
			Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}},
	}
}

// cluster is the API server, as far as one kubelet sees it.
type cluster struct {
	client *fake.Clientset
	w      *world
	ctx    context.Context
	giving sync.Mutex // pods are being given to the node, all at once
	order  []string   // of the pods, as they were given
}

// newCluster starts the API server. A reflector whose watch cannot be had lists again with a
// back-off; up to 1.35 one that watches selects on a channel made outside the bubble, which would
// keep the clock from moving, so that only our own watch of pods is served.
func newCluster(ctx context.Context, w *world) *cluster {
	c := &cluster{client: fake.NewSimpleClientset(bigNode()), w: w, ctx: ctx}
	c.client.PrependWatchReactor("*", func(a clienttesting.Action) (bool, watch.Interface, error) {
		if a.GetResource().Resource == "pods" {
			return false, nil, nil
		}
		return true, nil, errors.New("no watch here")
	})
	c.patchAsAServer()
	return c
}

// kubeletClient is the client that the kubelet gets. Its requests for pods take time, as they do
// on any node, so that they are not tied with what the pod's worker does meanwhile. The nap is here
// and not in a reactor of the fake, which is called with a lock held: who waits for a lock does not
// let the clock move.
type kubeletClient struct {
	kubernetes.Interface
	w    *world
	life *life
}

func (c kubeletClient) CoreV1() corev1.CoreV1Interface {
	return kubeletCore{c.Interface.CoreV1(), c.w, c.life}
}

type kubeletCore struct {
	corev1.CoreV1Interface
	w    *world
	life *life
}

func (c kubeletCore) Pods(namespace string) corev1.PodInterface {
	return kubeletPods{c.CoreV1Interface.Pods(namespace), c.w, c.life}
}

type kubeletPods struct {
	corev1.PodInterface
	w    *world
	life *life
}

// deletes tells that the kubelet deletes a pod from the API.
func (p kubeletPods) deletes(name string) {
	p.life.goesOn()
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.emit(name, effect{"e": "apidelete"})
}

// feed hands the kubelet the list of pods, and again whenever one changes.
func (c *cluster) feed(l *life, send func([]*v1.Pod)) error {
	pods, err := c.watchPods()
	if err != nil {
		return err
	}
	go func() {
		// A real kubelet has seen its node, and has looked at the runtime, before it asks for pods:
		// what the first relist finds is about pods that it does not know yet.
		c.w.nap(syncOffset)
		send(c.list())
		for {
			select {
			case got := <-pods.ResultChan():
				if pod, ok := got.Object.(*v1.Pod); ok && got.Type != watch.Deleted {
					c.w.published(pod, got.Type == watch.Added)
				}
				send(c.list())
			case <-l.done:
				pods.Stop()
				return
			}
		}
	}()
	return nil
}

// list is in the order in which the pods were given; the fake server has none.
func (c *cluster) list() []*v1.Pod {
	c.giving.Lock()
	defer c.giving.Unlock()
	list, err := c.listPods()
	if err != nil {
		panic(err)
	}
	var all []*v1.Pod
	for i := range list.Items {
		list.Items[i].TypeMeta = typeOf(list.Items[i].Name)
		all = append(all, &list.Items[i])
	}
	place := func(p *v1.Pod) int { return slices.Index(c.order, p.Name) }
	slices.SortStableFunc(all, func(a, b *v1.Pod) int { return place(a) - place(b) })
	return all
}

func (c *cluster) create(pods ...*v1.Pod) error {
	c.giving.Lock()
	defer c.giving.Unlock()
	for _, pod := range pods {
		c.order = append(c.order, pod.Name)
		if err := c.createPod(pod); err != nil {
			return err
		}
	}
	return nil
}

// change edits the pod as a user would, if it is still there.
func (c *cluster) change(namespace, name string, edit func(*v1.Pod)) error {
	pod, err := c.getPod(namespace, name)
	if err != nil {
		return nil
	}
	edit(pod)
	return c.updatePod(pod)
}

var tracing = os.Getenv("PROBETEST_KUBELET_LOG") != ""

// traceLine prints a line of the kubelet's log, for people who look for a reason.
func traceLine(w *world, msg string, kv []any) {
	fmt.Fprintf(stderr, "%15.9f %s", time.Since(w.base).Seconds(), msg)
	for i := 0; i+1 < len(kv); i += 2 {
		fmt.Fprintf(stderr, " %v=%v", kv[i], kv[i+1])
	}
	fmt.Fprintln(stderr)
}

// startKubelet runs a whole kubelet; it comes to a rest only with the process.
func startKubelet(ctx context.Context, w *world, c *cluster, root string, syncFrequency time.Duration) error {
	flags := options.NewKubeletFlags()
	cfg, err := options.NewKubeletConfiguration()
	if err != nil {
		return err
	}
	cfg.CgroupsPerQOS = cgroupsCount
	cfg.EnforceNodeAllocatable = nil
	cfg.EvictionHard = map[string]string{}
	cfg.ImageGCHighThresholdPercent = 100
	cfg.MakeIPTablesUtilChains = false
	cfg.EnableControllerAttachDetach = false
	cfg.ResolverConfig = ""
	cfg.ClusterDNS = []string{"10.0.0.10"}
	newerSettings(cfg)
	noServerNoShutdown(cfg)
	cfg.SyncFrequency = metav1.Duration{Duration: syncFrequency}

	l := w.life
	w.born = time.Now()
	deps := &kubelet.Dependencies{
		KubeClient: kubeletClient{c.client, w, l}, HeartbeatClient: c.client,
		CAdvisorInterface: cadvisor{&cadvisortest.Fake{NodeName: nodeName}, root},
		ContainerManager:  newContainers(w),
		OSInterface:       quietOS{w: w}, VolumePlugins: emptydir.ProbeVolumePlugins(),
		OOMAdjuster: oom.NewFakeOOMAdjuster(), Mounter: mounter(),
		Subpather: &subpath.FakeSubpath{}, Recorder: newRecorder(w, l),
	}
	addHostUtil(deps)
	if err := addRuntime(deps, w, root); err != nil {
		return err
	}
	addTrackers(deps)
	send := addPodConfig(ctx, deps)
	kl, err := newKubelet(ctx, cfg, deps, flags, root)
	if err != nil {
		return err
	}
	w.napsBeforeAStatus(kl)
	if err := c.feed(l, send); err != nil {
		return err
	}
	startGarbageCollection(ctx, kl)
	if w.young != 0 {
		w.nap(time.Nanosecond) // the first collection is over long before a node's kubelet looks round
	}
	silenceKernelLog()
	w.quietUntilTheLoop()
	go runKubelet(ctx, l, kl, deps.PodConfig)
	return nil
}

//go:build !ge18

package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// To 1.17 the client's requests have no context.

func (p kubeletPods) Get(name string, o metav1.GetOptions) (*v1.Pod, error) {
	p.w.nap(p.w.requestTakes())
	p.life.goesOn()
	return p.PodInterface.Get(name, o)
}

func (p kubeletPods) Delete(name string, o *metav1.DeleteOptions) error {
	p.w.nap(time.Nanosecond)
	p.deletes(name)
	return p.PodInterface.Delete(name, o)
}

func (c *cluster) watchPods() (watch.Interface, error) {
	return c.client.CoreV1().Pods("").Watch(metav1.ListOptions{})
}

func (c *cluster) listPods() (*v1.PodList, error) {
	return c.client.CoreV1().Pods("").List(metav1.ListOptions{})
}

func (c *cluster) getPod(namespace, name string) (*v1.Pod, error) {
	return c.client.CoreV1().Pods(namespace).Get(name, metav1.GetOptions{})
}

func (c *cluster) createPod(pod *v1.Pod) error {
	_, err := c.client.CoreV1().Pods(pod.Namespace).Create(pod)
	return err
}

func (c *cluster) updatePod(pod *v1.Pod) error {
	_, err := c.client.CoreV1().Pods(pod.Namespace).Update(pod)
	return err
}

//go:build ge18

package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func (p kubeletPods) Get(ctx context.Context, name string, o metav1.GetOptions) (*v1.Pod, error) {
	p.w.nap(p.w.requestTakes())
	p.life.goesOn()
	return p.PodInterface.Get(ctx, name, o)
}

func (p kubeletPods) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	p.w.nap(time.Nanosecond)
	p.deletes(name)
	return p.PodInterface.Delete(ctx, name, o)
}

func (c *cluster) watchPods() (watch.Interface, error) {
	return c.client.CoreV1().Pods("").Watch(c.ctx, metav1.ListOptions{})
}

func (c *cluster) listPods() (*v1.PodList, error) {
	return c.client.CoreV1().Pods("").List(c.ctx, metav1.ListOptions{})
}

func (c *cluster) getPod(namespace, name string) (*v1.Pod, error) {
	return c.client.CoreV1().Pods(namespace).Get(c.ctx, name, metav1.GetOptions{})
}

func (c *cluster) createPod(pod *v1.Pod) error {
	_, err := c.client.CoreV1().Pods(pod.Namespace).Create(c.ctx, pod, metav1.CreateOptions{})
	return err
}

func (c *cluster) updatePod(pod *v1.Pod) error {
	_, err := c.client.CoreV1().Pods(pod.Namespace).Update(c.ctx, pod, metav1.UpdateOptions{})
	return err
}

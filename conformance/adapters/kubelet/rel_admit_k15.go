//go:build !k16

package main

import (
	"context"

	"k8s.io/apiserver/pkg/admission"
)

func admit(_ context.Context, plugin admission.MutationInterface, a admission.Attributes) error {
	return plugin.Admit(a, nil)
}

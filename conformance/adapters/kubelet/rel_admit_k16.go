//go:build k16 && !k20

package main

import (
	"context"

	"k8s.io/apiserver/pkg/admission"
)

func admit(ctx context.Context, plugin admission.MutationInterface, a admission.Attributes) error {
	return plugin.Admit(ctx, a, nil)
}

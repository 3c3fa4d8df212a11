package main

import (
	"fmt"
	"sort"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// gatesTouched holds the defaults of the gates that some hello of this process has set.
var gatesTouched = map[string]bool{}

// setGates makes the feature gates of the process those of the release, except for the ones named.
// A map that the real gates refuse spoils all later ones of the process, so it is tried on a copy.
func setGates(gates map[string]bool) error {
	want := map[string]bool{}
	for name, value := range gatesTouched {
		want[name] = value
	}
	for name, value := range gates {
		want[name] = value
	}
	if len(want) == 0 {
		return nil
	}
	if err := utilfeature.DefaultMutableFeatureGate.DeepCopy().SetFromMap(want); err != nil {
		return fmt.Errorf("feature gates %s: %v", sorted(gates), err)
	}
	for name := range gates {
		if _, known := gatesTouched[name]; !known {
			gatesTouched[name] = utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
		}
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(want)
}

func sorted(gates map[string]bool) string {
	var list []string
	for name, value := range gates {
		list = append(list, fmt.Sprintf("%s=%t", name, value))
	}
	sort.Strings(list)
	return strings.Join(list, ",")
}

// gateOn tells whether a gate is on; one that the release does not know is off.
func gateOn(name string) (on bool) {
	defer func() {
		if recover() != nil { // Enabled panics for a gate that is not registered
			on = false
		}
	}()
	return utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
}

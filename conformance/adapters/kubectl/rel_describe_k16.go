//go:build k16 && !k18

package main

import describe "k8s.io/kubectl/pkg/describe/versioned"

var describeProbe, describeEvents = describe.DescribeProbe, describe.DescribeEvents

//go:build !k26

package main

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/probe"
)

// http: up to 1.25 the handler takes a URL and headers, and what makes them of the probe is not
// exported: here they are put together as the rules P-090 to P-096 say.
func (s *attempt) http(get *v1.HTTPGetAction) answer {
	port, err := s.port(get.Port)
	if err != nil {
		return answer{probe.Unknown, "", err}
	}
	target, err := url.Parse(get.Path)
	if err != nil {
		target = &url.URL{Path: get.Path}
	}
	target.Scheme = strings.ToLower(string(get.Scheme))
	target.Host = net.JoinHostPort(s.host(get.Host), strconv.Itoa(port))
	headers := http.Header{}
	for _, h := range get.HTTPHeaders {
		name := h.Name
		if canonicalHeaders {
			name = http.CanonicalHeaderKey(name)
		}
		headers[name] = append(headers[name], h.Value)
	}
	return made(newHTTPProber().Probe(target, headers, s.timeout))
}

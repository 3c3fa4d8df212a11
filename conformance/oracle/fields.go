//go:build ignore

// fields.go: what the Go declarations of the API say of each field, as pod_api_test.c adds it up.
//
//	go run conformance/oracle/fields.go 0.36.4 0.37.2     a line for pod_api_test.c each
//	FIELDS=1 go run conformance/oracle/fields.go 0.37.2   the fields themselves
//
// Reads types.go of k8s.io/api and k8s.io/apimachinery out of Go's module cache, nothing of ours.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"os/exec"
	"reflect"
	"strings"
)

type source struct {
	name  string
	types map[string]ast.Expr
}

type structure struct {
	from *source
	name string
}

type reader struct {
	core, meta, settings *source
	queue                []structure
	seen                 map[string]bool
	count                int
}

var kinds = map[string]int{"string": 0, "bool": 1, "int32": 2, "int64": 3, "intstr.IntOrString": 4, "types.UID": 0,
	"resource.Quantity": 5, "Time": 6, "FieldsV1": 7, "Fields": 7}

const structKind = 8

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func module(path string) string {
	out, err := exec.Command("go", "mod", "download", "-json", path).Output()
	check(err)
	var found struct{ Dir string }
	check(json.Unmarshal(out, &found))
	return found.Dir
}

func load(name, file string) *source {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	check(err)
	loaded := &source{name, map[string]ast.Expr{}}
	for _, declaration := range parsed.Decls {
		if general, ok := declaration.(*ast.GenDecl); ok {
			for _, spec := range general.Specs {
				if one, ok := spec.(*ast.TypeSpec); ok {
					loaded.types[one.Name.Name] = one.Type
				}
			}
		}
	}
	return loaded
}

// As errors of encoding/json print a type.
func printed(from *source, of ast.Expr) string {
	switch one := of.(type) {
	case *ast.MapType:
		return "map[" + printed(from, one.Key) + "]" + printed(from, one.Value)
	case *ast.SelectorExpr:
		return strings.NewReplacer("metav1", "v1", "corev1", "v1").Replace(one.X.(*ast.Ident).Name) + "." + one.Sel.Name
	}
	name := of.(*ast.Ident).Name
	if _, basic := kinds[name]; basic && name[0] >= 'a' {
		return name
	}
	return from.name + "." + name
}

// Kind, whether it is a map by another name, and the struct.
func (r *reader) kind(from *source, of ast.Expr) (int, bool, *structure) {
	switch one := of.(type) {
	case *ast.MapType:
		kind, _, _ := r.kind(from, one.Value)
		return kind, true, nil
	case *ast.SelectorExpr:
		name := one.X.(*ast.Ident).Name
		if kind, ok := kinds[name+"."+one.Sel.Name]; ok {
			return kind, false, nil
		}
		if name == "metav1" {
			return r.kind(r.meta, one.Sel)
		}
		return r.kind(r.core, one.Sel)
	}
	name := of.(*ast.Ident).Name
	if kind, ok := kinds[name]; ok {
		return kind, false, nil
	}
	if _, ok := from.types[name].(*ast.StructType); ok {
		return structKind, false, &structure{from, name}
	}
	return r.kind(from, from.types[name])
}

func (r *reader) fields(owner string, from *source, declared ast.Expr, embedded string, add func(...string)) {
	for _, field := range declared.(*ast.StructType).Fields.List {
		tag := strings.Split(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
		if len(field.Names) == 0 && tag[0] == "" {
			if inner, ok := field.Type.(*ast.Ident); ok {
				r.fields(owner, from, from.types[inner.Name], inner.Name, add)
			} else {
				name := field.Type.(*ast.SelectorExpr).Sel.Name
				r.fields(owner, r.meta, r.meta.types[name], name, add)
			}
			continue
		}
		shape, of, empty := 0, field.Type, 0
		switch outer := of.(type) {
		case *ast.StarExpr:
			shape, of = 1, outer.X
		case *ast.ArrayType:
			shape, of = 2, outer.Elt
		}
		for _, option := range tag[1:] {
			if option == "omitzero" {
				empty = 2
			} else if option == "omitempty" && empty == 0 {
				empty = 1
			}
		}
		kind, isMap, inner := r.kind(from, of)
		if isMap {
			shape = 3
		}
		name := ""
		if inner != nil {
			name = inner.name
			if !r.seen[name] {
				r.seen[name] = true
				r.queue = append(r.queue, *inner)
			}
		}
		r.count++
		add(owner, tag[0], name, printed(from, of), embedded, fmt.Sprintf("%d%d%d", kind, shape, empty))
	}
}

func sum(version string) (int, uint32) {
	api, machinery := module("k8s.io/api@v"+version), module("k8s.io/apimachinery@v"+version)
	r := &reader{core: load("v1", api+"/core/v1/types.go"), meta: load("v1", machinery+"/pkg/apis/meta/v1/types.go"), seen: map[string]bool{}}
	r.queue = []structure{{r.core, "Pod"}, {r.core, "PodTemplateSpec"}}
	if presets := api + "/settings/v1alpha1/types.go"; exists(presets) {
		r.settings = load("v1alpha1", presets)
		r.queue = append(r.queue, structure{r.settings, "PodPreset"})
	}
	total := uint64(0)
	for i := 0; i < len(r.queue); i++ {
		one, hash := r.queue[i], fnv.New64a()
		r.fields(one.name, one.from, one.from.types[one.name], "", func(texts ...string) {
			for _, text := range texts {
				hash.Write([]byte(text + ";"))
			}
			if os.Getenv("FIELDS") != "" {
				fmt.Println(strings.Join(texts, "\t"))
			}
		})
		total += hash.Sum64()
	}
	return r.count, uint32(total)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func main() {
	for _, version := range os.Args[1:] {
		count, total := sum(version)
		fmt.Printf("{%d, 0x%08x}, /* %s */\n", count, total, version)
	}
}

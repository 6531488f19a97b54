package evidence

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// kind is the JSON kind of a value, "number" for every Go number type: expected
// values come from YAML or from compiled.json, observations from parseJSON.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	if _, ok := exact(v); ok {
		return "number"
	}
	return fmt.Sprintf("%T", v)
}

// exact is the number as written. It refuses what no JSON number can be.
func exact(v any) (*big.Rat, bool) {
	switch t := v.(type) {
	case json.Number:
		if checkNumber(t) != nil {
			return nil, false
		}
		if f, _ := strconv.ParseFloat(string(t), 64); f == 0 {
			return new(big.Rat), true // also guards against 1e-999999999
		}
		return new(big.Rat).SetString(string(t))
	case int:
		return new(big.Rat).SetInt64(int64(t)), true
	case int64:
		return new(big.Rat).SetInt64(t), true
	case uint64:
		return new(big.Rat).SetUint64(t), true
	case float64:
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return nil, false
		}
		return new(big.Rat).SetString(strconv.FormatFloat(t, 'g', -1, 64))
	}
	return nil, false
}

// compare orders two numbers: integers exactly, anything else as doubles.
func compare(a, b any) (int, bool) {
	x, okX := exact(a)
	y, okY := exact(b)
	if !okX || !okY {
		return 0, false
	}
	if x.IsInt() && y.IsInt() {
		return x.Cmp(y), true
	}
	f, _ := x.Float64()
	g, _ := y.Float64()
	switch {
	case f < g:
		return -1, true
	case f > g:
		return 1, true
	}
	return 0, true
}

func truthy(v any) bool {
	switch t := v.(type) {
	case nil:
		return false
	case bool:
		return t
	case string:
		return t != ""
	case []any, map[string]any:
		return true
	}
	r, ok := exact(v)
	return ok && r.Sign() != 0
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

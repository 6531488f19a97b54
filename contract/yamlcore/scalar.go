package yamlcore

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

var (
	decimal = regexp.MustCompile(`^[-+]?[0-9]+$`)
	octal   = regexp.MustCompile(`^0o[0-7]+$`)
	hex     = regexp.MustCompile(`^0x[0-9a-fA-F]+$`)
	float   = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	special = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// Scalar returns the core schema's value of a scalar node: nil, bool, float64
// or string. Infinity and NaN are float64 values here; JSON has none.
func Scalar(n *yaml.Node) any {
	const text = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&text != 0 {
		return n.Value
	}
	switch s := n.Value; s {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	default:
		return number(s)
	}
}

// number returns a float64, or the text itself when it is no number.
func number(s string) any {
	switch c := s[0]; {
	case c != '-' && c != '+' && c != '.' && (c < '0' || c > '9'):
		return s
	case octal.MatchString(s):
		return integer(s[2:], 8)
	case hex.MatchString(s):
		return integer(s[2:], 16)
	case decimal.MatchString(s), float.MatchString(s):
		f, _ := strconv.ParseFloat(s, 64) // out of range is an infinity
		return f
	case special.MatchString(s):
		switch s[0] {
		case '-':
			return math.Inf(-1)
		default:
			if s[1] == 'n' || s[1] == 'N' {
				return math.NaN()
			}
			return math.Inf(1)
		}
	}
	return s
}

// integer rounds to float64 as JSON readers do, for any number of digits.
func integer(digits string, base int) float64 {
	i, _ := new(big.Int).SetString(digits, base)
	f, _ := new(big.Float).SetInt(i).Float64()
	return f
}

// Value returns a node as a JSON value: nil, bool, float64, string, []any or
// map[string]any. The error names a number that JSON cannot hold; node is
// where it stands.
func Value(n *yaml.Node) (value any, node *yaml.Node, err error) {
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, at, err := Value(c)
			if err != nil {
				return nil, at, err
			}
			list = append(list, v)
		}
		return list, n, nil
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, at, err := Value(n.Content[i+1])
			if err != nil {
				return nil, at, err
			}
			object[n.Content[i].Value] = v
		}
		return object, n, nil
	}
	v := Scalar(n)
	if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return nil, n, fmt.Errorf("%s is no JSON number", Trim(n.Value))
	}
	return v, n, nil
}

package emulator

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
)

// A codec encodes values to b, or decodes them from b if reading is set. Both directions use the
// same code, so they cannot differ. Its methods panic if b cannot be decoded.
type codec struct {
	b       []byte
	reading bool

	numbers map[uintptr]int64 // numbers of the targets of the pointers encoded so far
	targets []reflect.Value   // pointers decoded so far, by number
}

// newCodec returns a codec in which only the nil pointer has a number, 0.
func newCodec(b []byte, reading bool) *codec {
	return &codec{b: b, reading: reading, numbers: map[uintptr]int64{0: 0}, targets: []reflect.Value{{}}}
}

// values encodes or decodes what each pointer points to.
func (c *codec) values(pointers ...any) {
	for _, p := range pointers {
		c.value(reflect.ValueOf(p).Elem())
	}
}

// value encodes or decodes an integer, bool, string or Link, or an array, slice, map, struct
// or pointer of these. Maps must have integers as keys. All fields of a struct are encoded.
func (c *codec) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		n := int64(0)
		if v.Bool() {
			n = 1
		}
		if n = c.number(n); c.reading {
			v.SetBool(n != 0)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if n := c.number(v.Int()); c.reading {
			v.SetInt(n)
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := c.number(int64(v.Uint())); c.reading {
			v.SetUint(uint64(n))
		}
	case reflect.String:
		if s := c.data([]byte(v.String())); c.reading {
			v.SetString(string(s))
		}
	case reflect.Array:
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.Slice:
		c.slice(v)
	case reflect.Map:
		c.mapping(v)
	case reflect.Pointer:
		c.pointer(v)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Link]() {
			c.link(v.Addr().Interface().(*Link))
			return
		}
		for i := range v.NumField() {
			f := v.Field(i)
			if k := f.Kind(); c.reading || k == reflect.Map || k == reflect.Struct {
				f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem() // may be set although it is not exported
			}
			c.value(f)
		}
	default:
		panic(fmt.Sprintf("emulator: a %v in the state", v.Type()))
	}
}

// number encodes n and returns it, or returns a decoded number.
func (c *codec) number(n int64) int64 {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, n)
		return n
	}
	n, size := binary.Varint(c.b)
	if size <= 0 {
		panic("a number is incomplete")
	}
	c.b = c.b[size:]
	return n
}

// size encodes n and returns it, or returns the decoded number of elements that follow,
// which take at least one byte each.
func (c *codec) size(n int) int {
	n = int(c.number(int64(n)))
	if c.reading && (n < 0 || n > len(c.b)) {
		panic("a size is wrong")
	}
	return n
}

// data encodes b and returns it, or returns decoded bytes without spare capacity.
func (c *codec) data(b []byte) []byte {
	n := c.size(len(b))
	if !c.reading {
		c.b = append(c.b, b...)
		return b
	}
	b = slices.Clip(bytes.Clone(c.b[:n]))
	c.b = c.b[n:]
	return b
}

func (c *codec) slice(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		if b := c.data(v.Bytes()); c.reading {
			v.SetBytes(b)
		}
		return
	}
	n := c.size(v.Len())
	if c.reading {
		v.SetZero()
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
	}
	for i := range n {
		c.value(v.Index(i))
	}
}

// mapping encodes or decodes a map, in the order of its keys.
func (c *codec) mapping(v reflect.Value) {
	n, keys := c.size(v.Len()), v.MapKeys()
	number := func(key reflect.Value) int64 { return key.Convert(reflect.TypeFor[int64]()).Int() }
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(number(a), number(b)) })
	if c.reading {
		v.Set(reflect.MakeMapWithSize(v.Type(), n))
	}
	for i := range n {
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if !c.reading {
			key.Set(keys[i])
			element.Set(v.MapIndex(keys[i]))
		}
		c.value(key)
		c.value(element)
		if c.reading {
			v.SetMapIndex(key, element)
		}
	}
}

// pointer encodes or decodes a pointer as the number of its target. The target follows the
// first pointer to it. The number of nil is 0.
func (c *codec) pointer(v reflect.Value) {
	n, known := c.numbers[v.Pointer()]
	if c.reading {
		n = c.number(0)
		if known = n < int64(len(c.targets)); !known {
			c.targets = append(c.targets, reflect.New(v.Type().Elem()))
		}
		v.SetZero()
		if n > 0 {
			v.Set(c.targets[n])
		}
	} else {
		if !known {
			n = int64(len(c.numbers))
			c.numbers[v.Pointer()] = n
		}
		c.number(n)
	}
	if !known {
		c.value(v.Elem())
	}
}

// link encodes or decodes a link.
func (c *codec) link(p *Link) {
	id, uri := p.ID(), p.URI()
	c.values(&id, &uri)
	if *p = (Link{}); id != "" || uri != "" {
		*p = NewLink(id, uri)
	}
}

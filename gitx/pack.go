package gitx

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
)

var packType = map[string]byte{"commit": 1, "tree": 2, "blob": 3}

// Write stores all objects with one git child. When it returns nil they are
// on disk, so a ref may point at them. Writing an object again is no error.
func (r *Repo) Write(ctx context.Context, o *Objects) error {
	if o.err != nil {
		return o.err
	}
	if len(o.list) == 0 {
		return nil
	}
	pack, err := encodePack(o.format, o.list)
	if err != nil {
		return err
	}
	_, err = r.here.run(ctx, bytes.NewReader(pack), "-c", "core.fsync=loose-object", "unpack-objects", "-q")
	return err
}

// encodePack is a version 2 pack of whole objects.
func encodePack(format string, list []Object) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("PACK")
	b.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), uint32(len(list))))
	z := zlib.NewWriter(&b)
	for _, obj := range list {
		b.Write(packHeader(packType[obj.Type], len(obj.Data)))
		z.Reset(&b)
		if _, err := z.Write(obj.Data); err != nil {
			return nil, fmt.Errorf("pack: %w", err)
		}
		if err := z.Close(); err != nil {
			return nil, fmt.Errorf("pack: %w", err)
		}
	}
	sum := newHash(format)
	sum.Write(b.Bytes())
	return sum.Sum(b.Bytes()), nil
}

// packHeader holds type and size: four bits of size in the first byte, seven
// in each further one, the top bit saying that one follows.
func packHeader(typ byte, size int) []byte {
	head := []byte{typ<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	return head
}

#!/usr/bin/env python3
"""Writes reference.txt: values, operations and the results that independent parties give them.

Usage: make_reference.py > reference.txt      (needs numpy, ml_dtypes, jax with CPU, mpmath)

Who computes what:
  add subtract multiply divide sqrt fma, dot, reduce add   exact rationals, rounded by this file's round_exact
  functions (exp, tanh, ...) up to f32                     mpmath with 120 bits, rounded once; f64: within 2 ulp
  everything on integers, and the movement operations      jax.lax on XLA:CPU
  the rest (maximum, compare, sign, round, convert, ...)   jax.lax on XLA:CPU
XLA:CPU flushes subnormals and its functions are a few ulp off, so it is not asked for float arithmetic.

Lines: "value NAME TYPE DIMS HEX" and "case OPCODE TYPE DIMS HEX ULPS OPERANDS [KEY=VALUE ...]"; lists are joined
by ",", "-" is the empty list; HEX is the row-major little-endian bytes.
"""
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import ml_dtypes
import mpmath
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 120

DTYPES = {
    "bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype(np.float16), "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64), "f8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn), "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "s8": np.dtype(np.int8), "u8": np.dtype(np.uint8), "s16": np.dtype(np.int16), "u16": np.dtype(np.uint16),
    "s32": np.dtype(np.int32), "u32": np.dtype(np.uint32), "s64": np.dtype(np.int64), "u64": np.dtype(np.uint64),
    "pred": np.dtype(np.bool_), "c64": np.dtype(np.complex64), "c128": np.dtype(np.complex128),
}
NAMES = {v: k for k, v in DTYPES.items()}
# precision, smallest normal exponent, largest finite
FORMATS = {
    "bf16": (8, -126, float(ml_dtypes.finfo(ml_dtypes.bfloat16).max), math.inf),
    "f16": (11, -14, 65504.0, math.inf),
    "f32": (24, -126, float(np.finfo(np.float32).max), math.inf),
    "f64": (53, -1022, np.finfo(np.float64).max, math.inf),
    "f8e4m3fn": (4, -6, 448.0, math.nan),
    "f8e5m2": (3, -14, 57344.0, math.inf),
}


def joined(items):
    items = list(items)
    return ",".join(str(int(i)) if not isinstance(i, str) else i for i in items) if items else "-"


def emit_value(name, array):
    array = np.asarray(array)
    print("value", name, NAMES[array.dtype], joined(array.shape), array.tobytes().hex() or "-")
    return name


def emit_case(opcode, result, operands, ulps=0, **attributes):
    result = np.asarray(result)
    words = ["case", opcode, NAMES[result.dtype], joined(result.shape), result.tobytes().hex() or "-", str(ulps), joined(operands)]
    print(*words, *(f"{k}={v}" for k, v in attributes.items()))


def round_exact(value, kind):
    """A Fraction to the nearest value of the format, ties to even; returns a Python float."""
    precision, smallest, largest, overflow = FORMATS[kind]
    if value == 0:
        return 0.0
    sign, magnitude = (-1 if value < 0 else 1), abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    while Fraction(2) ** exponent > magnitude:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    unit = Fraction(2) ** (max(exponent, smallest) - precision + 1)
    rounded = round(magnitude / unit) * unit  # Fraction rounds half to even
    if rounded > Fraction(largest):
        return sign * overflow
    return sign * float(rounded)


def to_array(values, kind):
    return np.array(values, np.float64).astype(DTYPES[kind])


def exact_binary(opcode, a, b, kind):
    """IEEE arithmetic from rationals; the special cases by NumPy's f64."""
    a, b = float(a), float(b)
    with np.errstate(all="ignore"):
        x, y = np.float64(a), np.float64(b)
        special = {"add": x + y, "subtract": x - y, "multiply": x * y, "divide": x / y}[opcode]
    if not (math.isfinite(a) and math.isfinite(b)) or (opcode == "divide" and b == 0):
        return float(special)
    p, q = Fraction(a), Fraction(b)
    exact = p + q if opcode == "add" else p - q if opcode == "subtract" else p * q if opcode == "multiply" else p / q
    if exact == 0:
        return float(special)  # the sign of zero
    result = round_exact(exact, kind)
    return math.copysign(result, -1.0 if exact < 0 else 1.0)


EDGES = [0.0, -0.0, 1.0, -1.0, 2.5, -3.5, math.inf, -math.inf, math.nan, 0.7, -129.0, 1e-3]


def edges(kind):
    precision, smallest, largest, _ = FORMATS[kind]
    extra = [largest, 2.0 ** (smallest - precision + 1), -(2.0 ** smallest), 1 + 2.0 ** (1 - precision)]
    with np.errstate(all="ignore"):
        return np.array((EDGES[:9] if kind == "f64" else EDGES) + extra, np.float64).astype(DTYPES[kind])


def pairs(values):
    return np.repeat(values, len(values)), np.tile(values, len(values))


def float_arithmetic():
    for kind in ["bf16", "f16", "f32", "f8e4m3fn", "f8e5m2", "f64"]:
        values = edges(kind)
        if kind.startswith("f8"):
            values = np.arange(0, 256, 17).astype(np.uint8).view(DTYPES[kind])
        x, y = pairs(values)
        names = [emit_value(f"x_{kind}", x), emit_value(f"y_{kind}", y)]
        for opcode in ["add", "subtract", "multiply", "divide"]:
            result = [exact_binary(opcode, a, b, kind) for a, b in zip(x, y)]
            emit_case(opcode, to_array(result, kind), names)
        if kind in ("bf16", "f16", "f32", "f64"):
            # The subnormals go: XLA:CPU flushes them.
            tiny = 2.0 ** FORMATS[kind][1]
            normal = values[~((np.abs(values.astype(np.float64)) < tiny) & (values != 0))]
            x, y = pairs(normal)
            names = [emit_value(f"nx_{kind}", x), emit_value(f"ny_{kind}", y)]
            emit_case("maximum", lax.max(x, y), names)
            emit_case("minimum", lax.min(x, y), names)
            for direction, f in {"EQ": lax.eq, "NE": lax.ne, "LT": lax.lt, "LE": lax.le, "GT": lax.gt, "GE": lax.ge}.items():
                emit_case("compare", f(x, y), names, direction=direction)
            unsigned = {2: np.uint16, 4: np.uint32, 8: np.uint64}[values.dtype.itemsize]
            signed = {2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]

            def key(v):
                bits = v.view(unsigned).view(signed).astype(object)
                return np.array([int(b) if b >= 0 else -1 - (int(b) + (1 << (8 * v.dtype.itemsize - 1))) for b in bits])

            emit_case("compare", key(x) < key(y), names, direction="LT", total=1)
            emit_case("compare", key(x) >= key(y), names, direction="GE", total=1)
        if kind == "f32":
            emit_case("remainder", lax.rem(x, y), names)
            # Without the largest and smallest values, whose quotient XLA:CPU flushes.
            x, y = pairs(np.array(EDGES, np.float32))
            names = [emit_value("ax", x), emit_value("ay", y)]
            emit_case("atan2", lax.atan2(x, y), names, ulps=4)


def fma():
    cases = [(1 + 2.0**-7, 1 - 2.0**-7, -1.0), (1.5, 1.5, 2.0**-100), (1 + 2.0**-7, 1.0, 2.0**-8), (3.0, 5.0, -15.0),
             (1.0, 1 + 2.0**-7, 2.0**-60), (1.0078125, 1.5, -1.5), (257.0, 0.0078125, 2.0**-9), (2.0**100, 2.0**27, -(2.0**120))]
    for kind in ["bf16", "f16", "f32"]:
        with np.errstate(all="ignore"):
            columns = [to_array([c[i] for c in cases], kind) for i in range(3)]
        columns = [np.where(np.isfinite(c.astype(np.float64)), c, c.dtype.type(1)) for c in columns]
        result = [round_exact(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)), kind) for a, b, c in zip(*columns)]
        emit_case("fma", to_array(result, kind), [emit_value(f"fma{i}_{kind}", c) for i, c in enumerate(columns)])


def functions():
    mp = mpmath
    table = {
        "exponential": (np.exp, mp.exp), "exponential-minus-one": (np.expm1, mp.expm1), "log": (np.log, mp.log),
        "log-plus-one": (np.log1p, mp.log1p), "tanh": (np.tanh, mp.tanh), "sine": (np.sin, mp.sin), "cosine": (np.cos, mp.cos),
        "tan": (np.tan, mp.tan), "sqrt": (np.sqrt, mp.sqrt), "rsqrt": (lambda v: 1 / np.sqrt(v), lambda v: 1 / mp.sqrt(v)),
        "cbrt": (np.cbrt, lambda v: mp.cbrt(v) if v >= 0 else -mp.cbrt(-v)),
        "logistic": (lambda v: 1 / (1 + np.exp(-v)), lambda v: 1 / (1 + mp.exp(-v))),
        "erf": (lambda v: np.vectorize(math.erf)(v), mp.erf),
    }
    rng = np.random.default_rng(1)
    for kind in ["bf16", "f16", "f32", "f64"]:
        spread = np.concatenate([rng.normal(size=24) * 3, 10.0 ** rng.uniform(-6, 1.9, 12), -(10.0 ** rng.uniform(-6, 1.9, 12))])
        if kind == "f64":
            spread = spread[::3]
        with np.errstate(all="ignore"):
            values = np.concatenate([edges(kind), spread.astype(DTYPES[kind])])
        if kind in ("bf16", "f16"):
            values = np.concatenate([values, (rng.integers(0, 65536, 60).astype(np.uint16)).view(DTYPES[kind])])
        name = emit_value(f"u_{kind}", values)
        for opcode, (special, exact) in table.items():
            result = []
            for v in values.astype(np.float64):
                with np.errstate(all="ignore"):
                    fallback = float(special(np.float64(v)))
                if not math.isfinite(fallback) or fallback == 0 or abs(v) > 1e5:
                    # Infinite, NaN, zero, or a huge angle: f64 decides, rounded once.
                    if math.isfinite(fallback) and fallback != 0:
                        fallback = round_exact(Fraction(fallback), kind)
                    result.append(fallback)
                    continue
                m = exact(mp.mpf(float(v)))
                exact_fraction = Fraction(int(m.man)) * Fraction(2) ** int(m.exp)
                if m < 0:
                    exact_fraction = -abs(exact_fraction)
                rounded = round_exact(exact_fraction, kind)
                result.append(math.copysign(rounded, fallback))
            emit_case(opcode, to_array(result, kind), [name], ulps=2 if kind == "f64" else 0)
        tiny = 2.0 ** FORMATS[kind][1]
        normal = values[~((np.abs(values.astype(np.float64)) < tiny) & (values != 0))]
        name = emit_value(f"n_{kind}", normal)
        for opcode, f in {"floor": lax.floor, "ceil": lax.ceil, "sign": lax.sign, "is-finite": lax.is_finite, "abs": lax.abs,
                          "negate": lax.neg, "round-nearest-even": lambda v: lax.round(v, lax.RoundingMethod.TO_NEAREST_EVEN),
                          "round-nearest-afz": lambda v: lax.round(v, lax.RoundingMethod.AWAY_FROM_ZERO)}.items():
            emit_case(opcode, f(normal), [name])
        if kind == "f32":
            for target in ["s8", "u8", "s16", "s32", "u32", "s64", "pred", "f64", "f16", "bf16"]:
                emit_case("convert", lax.convert_element_type(normal, DTYPES[target]), [name])


def integers():
    for kind in ["s8", "u8", "s32", "u32", "s64", "u64"]:
        info = np.iinfo(DTYPES[kind])
        values = np.array([v % (1 << info.bits) if info.min == 0 else v for v in [0, 1, 3, info.max, info.min, info.max - 1]]
                          + ([-1, -7, 2, 7] if info.min else [100, 2, 7]), DTYPES[kind])
        x, y = pairs(values[:8] if info.bits == 64 else values)
        names = [emit_value(f"x_{kind}", x), emit_value(f"y_{kind}", y)]
        for opcode, f in {"add": lax.add, "subtract": lax.sub, "multiply": lax.mul, "divide": lax.div, "remainder": lax.rem,
                          "maximum": lax.max, "minimum": lax.min, "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor,
                          "shift-left": lax.shift_left, "shift-right-arithmetic": lax.shift_right_arithmetic,
                          "shift-right-logical": lax.shift_right_logical}.items():
            emit_case(opcode, f(x, y), names)
        for direction, f in {"EQ": lax.eq, "LT": lax.lt, "GE": lax.ge}.items():
            emit_case("compare", f(x, y), names, direction=direction)
        name = emit_value(f"u_{kind}", values)
        for opcode, f in {"not": lax.bitwise_not, "popcnt": lax.population_count, "count-leading-zeros": lax.clz, "sign": lax.sign,
                          "negate": lax.neg, **({"abs": lax.abs} if info.min else {})}.items():
            emit_case(opcode, f(values), [name])
        for target in ["s8", "u16", "s32", "u64", "f32", "f64", "pred"]:
            emit_case("convert", lax.convert_element_type(values, DTYPES[target]), [name])
        low, high = values[1:2].reshape(()), values[-1:].reshape(())
        emit_case("clamp", lax.clamp(low, values, high), [emit_value(f"low_{kind}", low), name, emit_value(f"high_{kind}", high)])
    x, y = pairs(np.array([False, True]))
    names = [emit_value("x_pred", x), emit_value("y_pred", y)]
    for opcode, f in {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor, "maximum": lax.max, "minimum": lax.min}.items():
        emit_case(opcode, f(x, y), names)
    emit_case("not", lax.bitwise_not(x), names[:1])


def movement():
    a = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    name = emit_value("move", a)
    for p in [(0, 1, 2), (2, 0, 1), (1, 0, 2), (2, 1, 0)]:
        emit_case("transpose", lax.transpose(a, p), [name], dimensions=joined(p))
    emit_case("reshape", lax.reshape(a, (4, 6)), [name])
    emit_case("copy", a, [name])
    emit_case("broadcast", lax.broadcast_in_dim(a, (2, 5, 3, 4), (0, 2, 3)), [name], dimensions="0,2,3")
    emit_case("broadcast", lax.broadcast_in_dim(np.int16(7), (2, 2), ()), [emit_value("seven", np.int16(7))], dimensions="-")
    for start, limit, stride in [((0, 1, 1), (2, 3, 4), (1, 1, 2)), ((1, 0, 3), (2, 3, 4), (1, 2, 5)), ((1, 1, 1), (1, 2, 3), (1, 1, 1))]:
        emit_case("slice", lax.slice(a, start, limit, stride), [name],
                  slice=",".join(f"{s}:{e}:{t}" for s, e, t in zip(start, limit, stride)))
    for d in [(0,), (1, 2), (0, 1, 2), ()]:
        emit_case("reverse", lax.rev(a, d), [name], dimensions=joined(d))
    for config in [[(0, 0, 0), (1, 2, 0), (0, 1, 1)], [(-1, 0, 0), (0, -2, 0), (-1, -1, 2)], [(1, 1, 3), (-3, 3, 0), (2, -9, 1)],
                   [(0, 0, 0), (-2, -2, 1), (0, 0, 0)], [(5, 0, 0), (-2, 0, 2), (0, 0, 0)]]:
        emit_case("pad", lax.pad(a, np.int16(7), config), [name, "seven"], padding=",".join("_".join(map(str, c)) for c in config))
    b = -np.arange(12, dtype=np.int16).reshape(2, 3, 2)
    other = emit_value("move2", b)
    emit_case("concatenate", lax.concatenate([a, b, a], 2), [name, other, name], dimensions=2)
    emit_case("concatenate", lax.concatenate([a, a], 0), [name, name], dimensions=0)
    for index, starts in enumerate([(0, 1, 1), (1, 2, 3), (-5, 100, 2), (-1, 0, -2)]):
        names = [emit_value(f"start{index}_{i}", np.int32(s)) for i, s in enumerate(starts)]
        emit_case("dynamic-slice", lax.dynamic_slice(a, [np.int32(max(s, 0)) for s in starts], (1, 2, 2)), [name, *names], sizes="1,2,2")
        emit_case("dynamic-update-slice", lax.dynamic_update_slice(a, b[:1, :2], [np.int32(max(s, 0)) for s in starts]),
                  [name, emit_value(f"update{index}", b[:1, :2]), *names])
    for kind in ["s8", "u32", "s64", "bf16", "f16", "f32"]:
        length = {"bf16": 300, "s8": 100}.get(kind, 5)
        emit_case("iota", lax.broadcasted_iota(DTYPES[kind], (2, length), 1), [], dimensions=1)
        emit_case("iota", lax.broadcasted_iota(DTYPES[kind], (3, 2), 0), [], dimensions=0)
    p = np.array([[True, False], [False, True]])
    x, y = np.array([[1, 2], [3, 4]], np.float32), np.array([[-1, -2], [-3, math.nan]], np.float32)
    emit_case("select", lax.select(p, x, y), [emit_value("sel", p), emit_value("sel_x", x), emit_value("sel_y", y)])
    emit_case("bitcast-convert", lax.bitcast_convert_type(x, np.uint8), ["sel_x"])
    emit_case("bitcast-convert", x.astype(np.float32).view(np.int32), ["sel_x"])
    emit_case("bitcast-convert", x.view(np.float64).reshape(2), ["sel_x"])
    lo, mid, hi = np.float32(5), np.array([3, 0, 9, math.nan], np.float32), np.float32(1)
    names = [emit_value("clamp_lo", lo), emit_value("clamp_x", mid), emit_value("clamp_hi", hi)]
    emit_case("clamp", lax.clamp(lo, mid, hi), names)
    emit_case("clamp", lax.clamp(hi, mid, lo), [names[2], names[1], names[0]])


def chain(xs, ys, kind):
    """sum x*y: one fused step at a time in `kind`, from exact rationals."""
    total = 0.0
    for x, y in zip(xs, ys):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(total)
        total = round_exact(exact, kind)
        if not math.isfinite(total):
            return total
    return total


def dots():
    rng = np.random.default_rng(2)
    for left, right, result, accumulator in [("bf16", "bf16", "bf16", "f32"), ("bf16", "bf16", "f32", "f32"), ("f16", "f16", "f16", "f32"),
                                             ("f32", "f32", "f32", "f32"), ("f64", "f64", "f64", "f64"), ("f8e4m3fn", "f8e5m2", "f32", "f32"),
                                             ("bf16", "f32", "f32", "f32"), ("f8e4m3fn", "f8e4m3fn", "bf16", "f32")]:
        scale = 1.0 if left != "f32" else 2.0 ** rng.integers(-20, 20, (5, 37))
        a = (rng.normal(size=(5, 37)) * scale).astype(DTYPES[left])
        b = rng.normal(size=(37, 11)).astype(DTYPES[right])
        names = [emit_value(f"dl_{left}_{right}_{result}", a), emit_value(f"dr_{left}_{right}_{result}", b)]
        with np.errstate(all="ignore"):
            sums = [[round_exact(Fraction(chain(a[i], b[:, j], accumulator)), result) for j in range(11)] for i in range(5)]
        emit_case("dot", to_array(sums, result), names, lc=1, rc=0)
    # Subnormal and overflowing products: the fused step sees them exactly.
    for kind in ["f16", "bf16", "f32"]:
        tiny = 2.0 ** FORMATS[kind][1]
        big = FORMATS[kind][2]
        a = to_array([[tiny * 1.5, tiny, 1.0, 2.0**-60 if kind != "f16" else 2.0**-12], [big, -big, 1.0, 1.0]], kind)
        b = to_array([[tiny, 1.0], [tiny * 1.25, 2.0], [0.0, tiny / 2], [2.0**-66 if kind != "f16" else 2.0**-14, 1.0]], kind)
        names = [emit_value(f"sl_{kind}", a), emit_value(f"sr_{kind}", b)]
        sums = [[chain(a[i], b[:, j], "f32") for j in range(2)] for i in range(2)]
        emit_case("dot", to_array(sums, "f32"), names, lc=1, rc=0)
    for left, right, result in [("s8", "s8", "s32"), ("s8", "s8", "s8"), ("s32", "s32", "s32"), ("u8", "u8", "u32"), ("s64", "s64", "s64")]:
        info, info2 = np.iinfo(DTYPES[left]), np.iinfo(DTYPES[right])
        a = rng.integers(info.min, info.max, (2, 2, 3, 4), DTYPES[left], endpoint=True)
        b = rng.integers(info2.min, info2.max, (2, 4, 2, 3), DTYPES[right], endpoint=True)
        a[0, 0, 0, :] = info.min
        b[0, :, 0, 0] = info2.min
        names = [emit_value(f"il_{left}_{result}", a), emit_value(f"ir_{left}_{result}", b)]
        # batch lhs 1 with rhs 0, contract lhs 3 with rhs 1; then two contractions and two batches.
        for lc, rc, lb, rb in [((3,), (1,), (1,), (0,)), ((3, 0), (1, 2), (1,), (0,)), ((3,), (1,), (1, 0), (0, 2)), ((1, 3), (0, 1), (), ())]:
            value = lax.dot_general(a, b, ((lc, rc), (lb, rb)), preferred_element_type=DTYPES[result])
            emit_case("dot", value, names, lc=joined(lc), rc=joined(rc), lb=joined(lb), rb=joined(rb))


def reductions():
    rng = np.random.default_rng(3)
    for kind in ["bf16", "f16", "f32", "f64", "f8e5m2"]:
        x = rng.normal(size=(3, 5, 7)).astype(DTYPES[kind])
        init = np.float64(0.25).astype(DTYPES[kind])
        names = [emit_value(f"r_{kind}", x), emit_value(f"i_{kind}", init)]
        wide = np.float64 if kind == "f64" else np.float32
        for reducer in ["add", "multiply"]:
            for dims in [(1,), (0, 2), (2,), (0, 1, 2)]:
                kept = [d for d in range(3) if d not in dims]
                moved = np.transpose(x, [*kept, *dims]).reshape([x.shape[d] for d in kept] + [-1]).astype(wide)
                total = np.full(moved.shape[:-1], wide(init), wide)
                for i in range(moved.shape[-1]):
                    total = total + moved[..., i] if reducer == "add" else total * moved[..., i]
                total = np.asarray(total, np.float64)
                rounded = np.array([round_exact(Fraction(float(t)), kind) for t in total.reshape(-1)]).reshape(total.shape)
                emit_case("reduce", to_array(rounded, kind), names, dimensions=joined(dims), reducer=reducer)
    for kind in ["s8", "u8", "s32", "s64", "f32", "bf16"]:
        x = (rng.integers(-120, 120, (4, 3, 2)) if kind != "u8" else rng.integers(0, 255, (4, 3, 2))).astype(DTYPES[kind])
        init = np.float64(3).astype(DTYPES[kind])
        if kind in ("f32", "bf16"):
            x[0, 0, 0] = np.float64(math.nan).astype(DTYPES[kind])
        names = [emit_value(f"ri_{kind}", x), emit_value(f"ii_{kind}", init)]
        reducers = {"maximum": lax.max, "minimum": lax.min}
        if kind not in ("f32", "bf16"):
            reducers |= {"add": lax.add, "multiply": lax.mul, "and": lax.bitwise_and, "or": lax.bitwise_or}
        for reducer, f in reducers.items():
            for dims in [(0,), (1, 2), (0, 2)]:
                emit_case("reduce", lax.reduce(x, init, f, dims), names, dimensions=joined(dims), reducer=reducer)
    x = np.array([[True, False, True], [False, False, False], [True, True, True]])
    names = [emit_value("r_pred", x), emit_value("i_pred_f", np.array(False)), emit_value("i_pred_t", np.array(True))]
    emit_case("reduce", lax.reduce(x, False, lax.bitwise_or, (1,)), names[:2], dimensions=1, reducer="or")
    emit_case("reduce", lax.reduce(x, True, lax.bitwise_and, (1,)), [names[0], names[2]], dimensions=1, reducer="and")


def complexes():
    rng = np.random.default_rng(4)
    for kind, part in [("c64", np.float32), ("c128", np.float64)]:
        x = (rng.normal(size=9) + 1j * rng.normal(size=9)).astype(DTYPES[kind])
        y = (rng.normal(size=9) + 1j * rng.normal(size=9)).astype(DTYPES[kind])
        names = [emit_value(f"cx_{kind}", x), emit_value(f"cy_{kind}", y)]
        for opcode, f in {"add": np.add, "subtract": np.subtract}.items():
            emit_case(opcode, f(x, y), names)
        for opcode, f in {"multiply": np.multiply, "divide": np.divide, "power": np.power}.items():
            emit_case(opcode, f(x.astype(np.complex128), y.astype(np.complex128)).astype(x.dtype), names, ulps=64)
        for opcode, f in {"exponential": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "sine": np.sin, "cosine": np.cos,
                          "exponential-minus-one": np.expm1, "log-plus-one": np.log1p,
                          "logistic": lambda v: 1 / (1 + np.exp(-v)), "rsqrt": lambda v: 1 / np.sqrt(v), "tan": np.tan}.items():
            emit_case(opcode, f(x.astype(np.complex128)).astype(x.dtype), names[:1], ulps=64)
        emit_case("abs", np.abs(x.astype(np.complex128)).astype(part), names[:1], ulps=2)
        emit_case("real", lax.real(x), names[:1])
        emit_case("imag", lax.imag(x), names[:1])
        emit_case("negate", lax.neg(x), names[:1])
        emit_case("compare", x == y, names, direction="EQ")
        re, im = emit_value(f"re_{kind}", x.real.copy()), emit_value(f"im_{kind}", x.imag.copy())
        emit_case("complex", x, [re, im])
        emit_case("dot", np.array(np.sum(x.astype(np.complex128) * y)).astype(x.dtype), names, ulps=64, lc=0, rc=0)
        init = emit_value(f"ci_{kind}", np.array(1, x.dtype))
        emit_case("reduce", np.array(1 + np.sum(x.astype(np.complex128))).astype(x.dtype), [names[0], init], ulps=64, dimensions=0, reducer="add")
        emit_case("reduce", np.array(np.prod(x.astype(np.complex128))).astype(x.dtype), [names[0], init], ulps=64, dimensions=0, reducer="multiply")


print("# Generated by make_reference.py")
for part in (float_arithmetic, fma, functions, integers, movement, dots, reductions, complexes):
    print("#", part.__name__)
    part()

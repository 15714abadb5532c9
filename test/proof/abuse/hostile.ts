/** Values that nobody should send, as JSON text: not every one can be written by JSON.stringify. */
type Make = () => string

const text = (value: string) => JSON.stringify(value)
const list = (count: number, item: string) => `[${Array(count).fill(item).join()}]`
const members = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"name${index}":"x"`).join()}}`

const WRONG_TYPES = ["null", "true", "0", '""', "[]", "{}", "[null]", "[[]]", "[{}]", '{"a":null}']

const NUMBERS = [
  "-1",
  "-0",
  "0.1",
  "1e308",
  "1e999",
  "-1e999",
  "9007199254740993",
  "18446744073709551616",
  "1e-400",
  "123456789012345678901234567890123456789012345678901234567890",
]

const STRINGS = [
  " ",
  "\u0000",
  "a\u0000b",
  "\u0001\u0008\u000b\u001f\u007f\u0085",
  "x\r\nBcc: victim@example.com",
  "x\u2028y\u2029z",
  "\ud800",
  "a\udc00b",
  "👩‍👩‍👧‍👦".repeat(20),
  "\u202etxt.exe\u202c",
  "\u200b\u200d\ufeff",
  `Z${"\u0351\u0352\u0353".repeat(60)}`,
  "ﬃ İ ß K Å",
  "__proto__",
  "constructor",
  "toString",
  "' or 1=1 --",
  '"; drop table emails; --',
  "%_%\\%",
  "%".repeat(300),
  "{{ a }} {{{b}}} {{#c}} {{",
  "<script>alert(1)</script><!--",
  '"><img src=x onerror=alert(1)>',
  "#{7*7} <%= 7*7 %> {{7*7}}",
  "../../../../etc/passwd",
  "javascript:alert(1)",
  "http://169.254.169.254/latest/meta-data",
  "https://user:pass@example.com:99999/\\@other.example",
  "https://[::ffff:127.0.0.1]/",
  "data:text/html,x",
  "a@b",
  `${"a".repeat(64)}@${"b".repeat(63)}.example.com`,
  '"very odd"@example.com',
  "a@xn--80ak6aa92e.com, b@example.com",
  "Ada <ada@example.com>, Bob <bob@example.com>",
  "0000-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "2026-02-30T25:61:61Z",
  "9999-12-31T23:59:59.999Z",
  "em_00000000000000000000000000",
  "1e1",
  "-1",
  "NaN",
  "[object Object]",
  "=cmd|' /C calc'!A0",
]

const OBJECTS = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":2,"toJSON":3}',
  '{"hasOwnProperty":null,"then":1}',
  '{"length":1000000000}',
  '{"0":"a","length":1}',
  '{"a":1,"a":2}',
  '{"\\u0000":"x","":"y"}',
]

const MADE: Record<string, Make> = {
  "1,000 characters": () => text("x".repeat(1_000)),
  "100,000 characters": () => text("x".repeat(100_000)),
  "900,000 bytes of two-byte characters": () => text("é".repeat(450_000)),
  "50,000 spaces": () => text(`a${" ".repeat(50_000)}b`),
  "5,000 quotes": () => text('"\\'.repeat(5_000)),
  "3,000 placeholders": () => text("{{ a }} {{".repeat(3_000)),
  "a list of 200": () => list(200, '"x"'),
  "a list of 5,000": () => list(5_000, "1"),
  "1,500 members": () => members(1_500),
  "lists 60 deep": () => "[".repeat(60) + "]".repeat(60),
  "lists 1,500 deep": () => "[".repeat(1_500) + "]".repeat(1_500),
  "objects 60 deep": () => `${'{"a":'.repeat(60)}1${"}".repeat(60)}`,
  "objects 1,500 deep": () => `${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}`,
}

const written = [...WRONG_TYPES, ...NUMBERS, ...STRINGS.map(text), ...OBJECTS]

/** By a name that a failure can show. */
export const HOSTILE: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(written.map((json) => [json, () => json])),
  ...MADE,
}

export const HOSTILE_NAMES = Object.keys(HOSTILE)

/** For paths, queries and headers, which only hold text. */
export const HOSTILE_STRINGS = [...STRINGS, "", "x".repeat(3_000), "[]", "{}", "null", "undefined"]

/** Whole bodies, some of which are no JSON. */
export const BODIES: Readonly<Record<string, Make>> = {
  empty: () => "",
  "an open brace": () => "{",
  "a NUL": () => "\u0000",
  "a byte order mark": () => "\ufeff{}",
  "single quotes": () => "{'a':1}",
  "lists 100,000 deep": () => "[".repeat(100_000),
  "objects 100,000 deep": () => '{"a":'.repeat(100_000),
  "400,000 values": () => list(400_000, "1"),
  "2 MiB": () => text("x".repeat(2 * 1024 * 1024)),
  "no object": () => "[]",
  "a number": () => "1e999",
}

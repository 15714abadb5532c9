import { describe, expect, it } from "vitest"
import type { TemplateContent, Variables } from "../../../src/worker/templates/contract.ts"
import { parseTemplate, render as renderParsed } from "../../../src/worker/templates/render.ts"

const render = (content: TemplateContent, variables: Variables, subject?: string) =>
  renderParsed(parseTemplate(content), variables, subject)

const template = (fields: Partial<TemplateContent>): TemplateContent => ({
  name: "Test",
  subject: "Subject",
  bodyHtml: "<p>Body</p>",
  bodyText: null,
  variablesSchema: { variables: [] },
  ...fields,
})

const declared = (...variables: TemplateContent["variablesSchema"]["variables"]) => ({
  variablesSchema: { variables },
})

/** The same source in all three places. */
function everywhere(source: string, variables: Variables, schema = {}) {
  const content = template({ subject: source, bodyHtml: source, bodyText: source, ...schema })
  return render(content, variables)
}

describe("a value stands in each field as the field needs it", () => {
  const cases: [name: string, value: unknown, html: string][] = [
    ["plain text", "Ada", "Ada"],
    ["an ampersand", "A & B", "A &amp; B"],
    ["an entity, which is escaped again", "&amp;", "&amp;amp;"],
    ["a tag", "<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"],
    ["a script", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["double quotes", 'say "hi"', "say &quot;hi&quot;"],
    ["single quotes", "it's", "it&#39;s"],
    ["an attribute's end", '" onload="x', "&quot; onload=&quot;x"],
    ["a comment's end", "-->", "--&gt;"],
    ["a backtick", "`", "`"],
    ["a backslash", "a\\b", "a\\b"],
    ["a dollar pattern", "$& $1 $$ $`", "$&amp; $1 $$ $`"],
    ["an emoji", "👩‍🚀", "👩‍🚀"],
    ["another script", "Ἀθήνα 東京", "Ἀθήνα 東京"],
    ["a placeholder of its own name", "{{ v }}", "{{ v }}"],
    ["a placeholder of another name", "{{ other }}", "{{ other }}"],
    ["half a placeholder", "{{", "{{"],
    ["a number", 42, "42"],
    ["zero", 0, "0"],
    ["a negative number", -1.5, "-1.5"],
    ["a large number", 1e21, "1e+21"],
    ["true", true, "true"],
    ["false", false, "false"],
    ["surrounding spaces", "  x  ", "  x  "],
    ["a URL", "https://a.b/?x=1&y=2", "https://a.b/?x=1&amp;y=2"],
  ]
  it.each(cases)("%s", (_, value, html) => {
    const raw = String(value)
    expect(everywhere("[{{ v }}]", { v: value, other: "no" })).toEqual({
      ok: true,
      message: { subject: `[${raw}]`, html: `[${html}]`, text: `[${raw}]` },
    })
  })
})

describe("the body of a template", () => {
  const values = { name: "V", user: { name: "U", a: { b: { c: "deep" } } }, _x: "u", A1: "n" }
  const cases: [source: string, rendered: string][] = [
    ["{{name}}", "V"],
    ["{{ name }}", "V"],
    ["{{   name   }}", "V"],
    ["{{\n name\t}}", "V"],
    ["{{name}}{{name}}", "VV"],
    ["{{{name}}}", "{V}"],
    ["{{ _x }}", "u"],
    ["{{ A1 }}", "n"],
    ["{{ user.name }}", "U"],
    ["{{ user.a.b.c }}", "deep"],
    ["{{ user.a.b.c.d }}", "{{ user.a.b.c.d }}"],
    ["{{ user . name }}", "{{ user . name }}"],
    ["{{ user..name }}", "{{ user..name }}"],
    ["{{ .name }}", "{{ .name }}"],
    ["{{ name. }}", "{{ name. }}"],
    ["{{ 1name }}", "{{ 1name }}"],
    ["{{ na-me }}", "{{ na-me }}"],
    ["{{ näme }}", "{{ näme }}"],
    ["{{ na me }}", "{{ na me }}"],
    ["{{ user[0] }}", "{{ user[0] }}"],
    ["{{ #if name }}", "{{ #if name }}"],
    ["{{ name | upper }}", "{{ name | upper }}"],
    ["{{ name() }}", "{{ name() }}"],
    ["{{}}", "{{}}"],
    ["{{ }}", "{{ }}"],
    ["{ name }", "{ name }"],
    ["{{ name }", "{{ name }"],
    ["{ name }}", "{ name }}"],
    ["{{ {{ name }} }}", "{{ V }}"],
    [`{{ ${"a".repeat(65)} }}`, `{{ ${"a".repeat(65)} }}`],
  ]
  it.each(cases)("%j renders as %j", (source, rendered) => {
    const result = render(template({ bodyHtml: source }), values)
    expect(result).toMatchObject({ ok: true, message: { html: rendered } })
  })
})

describe("a value that cannot be used is named", () => {
  const text = { name: "v", type: "string" } as const
  const number = { name: "v", type: "number" } as const
  const cases: [
    name: string,
    source: string,
    variables: Variables,
    schema: object,
    missing: string[],
    invalid: string[],
  ][] = [
    ["absent", "{{ v }}", {}, {}, ["v"], []],
    ["null is missing", "{{ v }}", { v: null }, {}, ["v"], []],
    ["each once, in order", "{{ b }}{{ a }}{{ b }}", {}, {}, ["b", "a"], []],
    ["a step that is absent", "{{ a.b.c }}", { a: {} }, {}, ["a.b.c"], []],
    ["a step that is null", "{{ a.b }}", { a: null }, {}, ["a.b"], []],
    ["a step that is a text", "{{ a.length }}", { a: "abc" }, {}, ["a.length"], []],
    ["a step that is a list", "{{ a.length }}", { a: [1] }, {}, ["a.length"], []],
    ["a key with a dot is no step", "{{ a.b }}", { "a.b": "x" }, {}, ["a.b"], []],
    ["constructor", "{{ constructor }}", {}, {}, ["constructor"], []],
    ["__proto__", "{{ __proto__ }}", {}, {}, ["__proto__"], []],
    ["toString of a value", "{{ a.toString }}", { a: {} }, {}, ["a.toString"], []],
    ["hasOwnProperty", "{{ hasOwnProperty }}", {}, {}, ["hasOwnProperty"], []],
    ["constructor.name", "{{ constructor.name }}", {}, {}, ["constructor.name"], []],
    ["__proto__ below a value", "{{ a.__proto__ }}", { a: {} }, {}, ["a.__proto__"], []],
    ["case matters", "{{ Name }}", { name: "x" }, {}, ["Name"], []],
    ["an object", "{{ v }}", { v: { x: 1 } }, {}, [], ["v"]],
    ["a list", "{{ v }}", { v: ["x"] }, {}, [], ["v"]],
    ["an empty list", "{{ v }}", { v: [] }, {}, [], ["v"]],
    ["a number declared a text", "{{ v }}", { v: 1 }, declared(text), [], ["v"]],
    ["a text declared a number", "{{ v }}", { v: "1" }, declared(number), [], ["v"]],
    [
      "a text declared a boolean",
      "{{ v }}",
      { v: "true" },
      declared({ name: "v", type: "boolean" }),
      [],
      ["v"],
    ],
    ["both at once", "{{ a }}{{ b }}", { b: {} }, {}, ["a"], ["b"]],
    ["declared without a default", "{{ v }}", {}, declared({ name: "v" }), ["v"], []],
  ]
  it.each(cases)("%s", (_, source, variables, schema, missing, invalid) => {
    const result = everywhere(source, variables, schema)
    expect(result).toMatchObject({
      ok: false,
      error: { code: "validation_error", details: { missing, invalid } },
    })
  })
})

describe("a default", () => {
  const cases: [name: string, variables: Variables, fallback: string | number | boolean, string][] =
    [
      ["stands in for an absent value", {}, "you", "you"],
      ["stands in for null", { v: null }, "you", "you"],
      ["yields to a value", { v: "me" }, "you", "me"],
      ["yields to an empty text", { v: "" }, "you", ""],
      ["yields to false", { v: false }, "you", "false"],
      ["yields to zero", { v: 0 }, "you", "0"],
      ["may be empty", {}, "", ""],
      ["may be zero", {}, 0, "0"],
      ["may be false", {}, false, "false"],
      ["is escaped", {}, "<b>", "&lt;b&gt;"],
      ["is not scanned", {}, "{{ v }}", "{{ v }}"],
    ]
  it.each(cases)("%s", (_, variables, fallback, html) => {
    const content = template({
      bodyHtml: "{{ v }}",
      ...declared({ name: "v", default: fallback }),
    })
    expect(render(content, variables)).toMatchObject({ ok: true, message: { html } })
  })

  it("may be declared for a dotted name", () => {
    const content = template({
      bodyHtml: "{{ user.name }}",
      ...declared({ name: "user.name", default: "friend" }),
    })
    expect(render(content, {})).toMatchObject({ ok: true, message: { html: "friend" } })
  })
})

describe("a variable that begins a link", () => {
  const linked = (variables: Variables, html = '<a href="{{ a }}">x</a>') =>
    render(template({ bodyHtml: html }), variables)

  it.each([
    "https://example.com/?q=javascript:1",
    "HTTP://example.com",
    "mailto:ann@example.com",
    "tel:+4930123456",
    "/relative",
    "example.com/path",
  ])("renders %s", (a) => {
    expect(linked({ a })).toMatchObject({ ok: true })
  })

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " \u0001javascript:alert(1)",
    "java\tscript:alert(1)",
    `${" ".repeat(100)}vbscript:x`,
    "data:text/html,<b>x</b>",
    "file:///etc/passwd",
  ])("refuses %j", (a) => {
    expect(linked({ a })).toMatchObject({ ok: false, error: { details: { invalid: ["a"] } } })
  })

  it.each([
    "<a href='{{ a }}'>x</a>",
    "<a class=x HREF = {{ a }}>x</a>",
    '<a href="{{ a }}/path">x</a>',
  ])("refuses a script in %s", (html) => {
    expect(linked({ a: "javascript:alert(1)" }, html)).toMatchObject({ ok: false })
  })

  it("refuses a scheme that several variables build", () => {
    const variables = { a: "java", b: "script:", c: "alert(1)" }
    expect(linked(variables, '<a href="{{ a }}{{ b }}{{ c }}">x</a>')).toMatchObject({ ok: false })
  })

  it("allows any value elsewhere", () => {
    const html = '<a href="https://example.com/?to={{ a }}">{{ a }}</a>'
    expect(linked({ a: "javascript:alert(1)" }, html)).toMatchObject({ ok: true })
  })
})

describe("the subject", () => {
  it.each([
    ["CR LF", "a\r\nBcc: x@y.z"],
    ["LF", "a\nb"],
    ["NUL", "a\u0000b"],
    ["escape", "a\u001bb"],
    ["delete", "a\u007fb"],
    ["next line", "a\u0085b"],
    ["line separator", "a\u2028b"],
  ])("gains no control character: %s", (_, value) => {
    const result = render(template({ subject: "Hi {{ v }}", bodyHtml: "{{ v }}" }), { v: value })
    expect(result).toMatchObject({ ok: false, error: { details: { missing: [], invalid: ["v"] } } })
  })

  it("of the request stands, and the template's is not rendered", () => {
    const result = render(template({ subject: "{{ missing }}" }), {}, "Mine {{ missing }}")
    expect(result).toMatchObject({ ok: true, message: { subject: "Mine {{ missing }}" } })
  })

  it.each([
    ["over 998 characters", "x".repeat(999)],
    ["empty", " "],
  ])("is refused when it comes out %s", (_, value) => {
    const result = render(template({ subject: "{{ v }}" }), { v: value })
    expect(result).toMatchObject({ ok: false, error: { details: [{ path: ["subject"] }] } })
  })
})

describe("size", () => {
  it("a body that would burst the limit is refused before it is built", () => {
    const source = "{{ v }}".repeat(140_000)
    const result = render(template({ bodyHtml: source }), { v: "<".repeat(60_000) })
    expect(result).toMatchObject({ ok: false, error: { code: "validation_error" } })
  })

  it("a body of many braces is read in linear time", () => {
    const source = `${"{{ ".repeat(300_000)}{{ v }}`
    expect(render(template({ bodyHtml: source }), { v: "x" })).toMatchObject({ ok: true })
  })
})

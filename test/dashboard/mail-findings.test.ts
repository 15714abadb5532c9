import { describe, expect, it } from "vitest"
import { findForMail } from "../../src/dashboard/pages/templates/versions/mail-findings.ts"

const marked = (html: string) => findForMail(html).map(({ from, to }) => html.slice(from, to))

describe("what mail programs drop", () => {
  it.each([
    ["<p>Hi</p><script>x()</script>", "<script>", /scripts/],
    ['<form action="/x">', '<form action="/x">', /forms/],
    ["<p><input name=a></p>", "<input name=a>", /forms/],
    ['<link href="a.css" rel="stylesheet">', '<link href="a.css" rel="stylesheet">', /stylesheet/],
    ["<style>@import url(a.css);</style>", "@import url(a.css);", /stylesheet/],
    ["<video src=a>", "<video src=a>", /image with a link/],
    ['<p style="position: absolute">', "position: absolute", /position/],
    ["<style>p{display:inline-flex}</style>", "display:inline-flex", /flex and grid/],
    ['<body background="a.png">', '<body background="a.png">', /background/],
    ['<img src="a.png">', '<img src="a.png">', /alt text/],
  ])("is marked at its place: %s", (html, place, message) => {
    const [finding, ...others] = findForMail(html)
    expect([marked(html), others]).toEqual([[place], []])
    expect(finding?.message).toMatch(message)
  })

  it.each([
    '<img alt="" src="a.png"><a href="https://example.com/form">Link</a>',
    "<p>The position: first. Our script and form.</p>",
    '<body style="background-color: #fff"><table role="presentation"></table></body>',
    "<!--[if mso]><script>x()</script><img src=a><![endif]-->",
    '<link rel="icon" href="a.png"><style>p{display:block}</style>',
  ])("is nothing of %s", (html) => {
    expect(marked(html)).toEqual([])
  })

  it("is told of styles and messages over Gmail's limits", () => {
    const style = (length: number) => `<style>${"a".repeat(length)}</style>`
    expect(findForMail(style(8192) + style(8192))).toEqual([])
    expect(findForMail(style(8192) + style(8193))[0]?.message).toMatch(/16 KB/)
    expect(findForMail("é".repeat(51 * 1024))).toEqual([])
    expect(findForMail(`${"é".repeat(51 * 1024)}a`)[0]?.message).toMatch(/102 KB/)
  })
})

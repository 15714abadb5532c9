import { describe, expect, it } from "vitest"
import { htmlToText } from "../../src/lib/html-text.ts"
import { expectCheap } from "../support/cost.ts"

const LAYOUT = `<!doctype html>
<html>
<head>
  <meta charset="utf-8">
  <title>Autumn</title>
  <style>p { color: red } a > b::before { content: "<p>" }</style>
  <!--[if mso]><xml><o:PixelsPerInch>96</o:PixelsPerInch></xml><![endif]-->
</head>
<body>
  <div style="display:none; max-height:0">Preview &zwnj;&nbsp;<b>text</b><div>more</div></div>
  <span style="opacity: 0.9">Hello</span>
  <script>if (1 < 2) document.write("<p>no</p>")</script>
  <table role="presentation" width="100%"><tr><td>
    <table><tr><td><a href="https://shop.test/"><img src="logo.png" alt="The Shop"></a></td>
      <td><a href="https://shop.test/new">New</a></td></tr></table>
    <h1>Autumn   is
      here</h1>
    <p>Dear Ada,<br>our <em>new</em> &amp; <strong>soft</strong> collection.</p>
    <p>&nbsp;</p>
    <p>See <a href="https://shop.test/?a=1&amp;b=2" style="color:red">the shop</a>, or
       <a href="https://shop.test">shop.test</a>.</p>
  </td></tr></table>
  <hr>
  <img src="https://shop.test/pixel.gif" alt="" width="1">
  <p><a href="https://shop.test/unsubscribe">Unsubscribe</a></p>
</body>
</html>`

const LISTS = `<p>Before</p>
<ul>
  <li>One</li>
  <li>Two<br>and more of it
    <ol start="3"><li>three</li><li><p>four</p><p>again</p></li></ol>
  </li>
  <li></li>
  <li>Three, <a href="https://x.test/3">linked</a>
</ul>
<p>After</p>
<dl><dt>Term</dt><dd>Meaning</dd></dl>
<blockquote><p>Quoted</p></blockquote>
<li>An item without a list`

const TABLE = `<table>
<caption>Your order</caption>
<thead><tr><th>Item</th><th>Price</th></tr></thead>
<tbody>
<tr><td>Sweater</td><td>20&nbsp;&euro;</td></tr>
<tr><td></td><td>only one</td></tr>
<tr><td><p>Socks</p></td><td><div>5&nbsp;&euro;</div></td></tr>
</tbody></table>Thanks`

const LINKS = `<a href="mailto:help@x.test?subject=Hi">Write to us</a>
<a href="mailto:help@x.test">help@x.test</a>
<a href="tel:+491234">Call</a>
<a href="#top">Top</a> <a href="/relative">relative</a> <a href="javascript:alert(1)">script</a>
<a name="x">anchor</a>
<a href=" https://x.test/a b ">blanks</a>
<a href="https://x.test/in/words">see https://x.test/in/words</a>
<a href="https://x.test/words/">x.test/words</a>
<a href="https://x.test/empty"></a>
<a href="https://x.test/image"><img src="i.png"></a>
<a href="https://x.test/block"><div>In a block</div></a>
<a href="https://x.test/one">never closed <a href="https://x.test/two">two</a>
<p><a href="https://x.test/last">at the end`

const CHARACTERS = `<p>&lt;b&gt; &quot;&#39;&#x41;&hellip;&copy; &unknown; &amp;amp; AT&T &#0; &#128075; 👋 Grüße</p>
<p>zero\u200bwidth soft\u00adhyphen</p>
<pre>
  two  blanks
\ttab &lt;tag&gt;

  <b>bold</b>
</pre>
<p>x<sup>2</sup>a<!-- a comment -->b<wbr>c<unknown>d</unknown></p>
<p>1 < 2 and 3 > 2</p>
<p hidden>never</p><p style="visibility:hidden">neither<p>seen
<textarea>typed</textarea><select><option>chosen</option></select>
<img alt="A &quot;cat&quot;" src=x><input type="submit" value="no">
</bogus></p>`

/** Files to read; `vitest run --project worker test/lib/html-text -u` writes them. */
describe("html as plain text is as in its golden files", () => {
  it.each([
    ["layout", LAYOUT],
    ["lists", LISTS],
    ["table", TABLE],
    ["links", LINKS],
    ["characters", CHARACTERS],
  ])("%s", async (name, html) => {
    await expect(htmlToText(html)).toMatchFileSnapshot(`./text-parts/${name}.txt`)
  })

  it.each([
    ["-2", "-2. a\n-1. b"],
    ["99", "99. a\n100. b"],
    ["999999999", "999999999. a\n1000000000. b"],
    ["1000000001", "1. a\n2. b"],
    ["none", "1. a\n2. b"],
  ])("numbers a list from %j", (start, text) => {
    expect(htmlToText(`<ol start="${start}"><li>a</li><li>b</li></ol>`)).toBe(text)
  })

  it.each([
    ["max-height", ["0", "0px", "0.0em", ".0em", "+0", "00", "0%", "0 !important"], true],
    ["max-height", ["0.5em", "00.9em", ".5em", "1px", "0.01rem", "05px"], false],
    ["opacity", ["0", "0.0", ".0", "0%", "0;color:red"], true],
    ["opacity", ["0.9", ".9", "00.1", "1", "0.05%"], false],
  ])("%s of %j hides: %s", (property, values, isHidden) => {
    for (const value of values) {
      const text = htmlToText(
        `<div style="color:red; ${property} : ${value}">Seen</div><p>Rest</p>`,
      )
      expect([value, text.includes("Seen")]).toEqual([value, !isHidden])
    }
  })

  it.each(["", " ", "<p></p>", "<img src=x>", "<style>a{}</style>", "<!-- a -->", "<"])(
    "%j has no words",
    (html) => expect(htmlToText(html).replace("<", "")).toBe(""),
  )
})

const MAX_CHARACTERS = 5_000_000
const filled = (part: string) => part.repeat(Math.floor(MAX_CHARACTERS / part.length))
const halves = (first: string, second: string) =>
  first.repeat(MAX_CHARACTERS / 2 / first.length) +
  second.repeat(MAX_CHARACTERS / 2 / second.length)

describe("five million characters take little time and memory", () => {
  it.each([
    ["prose", filled("<p>Hello there, how are you today?</p>\n")],
    ["one word", filled("x")],
    ["blanks", filled(" ")],
    ["line ends", filled("\r\n")],
    ["less-than signs", filled("<")],
    ["entities", filled("&amp;")],
    ["half an entity", filled("&am")],
    ["numeric entities", filled("&#65;")],
    ["open tags", filled("<b>")],
    ["nested blocks", filled("<div>")],
    ["nested lists", filled("<ul><li>x")],
    ["lines in nested lists", `${"<ul>".repeat(100)}${filled("x<br>")}`],
    ["closing tags", filled("</b>")],
    ["open tags, then other closing ones", halves("<div>", "</p>")],
    ["links that stay open", filled('<a href="https://x.test/">x')],
    ["links", filled('<a href="https://x.test/">x</a>')],
    ["a long address", `<a href="https://x.test/${filled("a")}">x</a>`],
    ["one link around all", `<a href="https://x.test/">${filled("<b>x</b> ")}`],
    ["attributes", `<a ${filled('href="x" ')}>x</a>`],
    ["attributes without an end", filled('<a b="')],
    ["styles", `<p style="${filled("; display")}">x`],
    ["comments without an end", filled("<!--")],
    ["scripts without an end", filled("<script>")],
    ["hidden ones without an end", filled("<div hidden>")],
    ["cells", filled("<td>x")],
    ["rules", filled("<hr>")],
    ["preformatted lines", `<pre>${filled("x\n")}`],
    ["preformatted line ends", `<pre>${filled("\n")}`],
    ["open preformatted ones", filled("<pre>\n")],
    ["short words", filled("a ")],
    ["numbered lists that stay open", filled("<ol><li>x")],
    ["lists without an item, then items", filled("<ol><ol><li>x")],
    ["numbered items", `<ol>${filled("<li>x")}`],
    ["paragraphs of one letter", filled("<p>a")],
    ["links to nowhere", filled("<a>")],
    ["short links", filled("<a href=tel:1>x")],
    ["images with words", filled("<img alt=x>")],
    ["items in deep numbered lists", `${"<ol>".repeat(100)}${filled("<li>x")}`],
    ["lines in deep lists, beyond Latin", `${"<ul>".repeat(100)}${filled("\u4e00<br>")}`],
    ["tags in capital letters", filled("<LI>x")],
    ["tags of two kinds", filled("<tq>x<Tq>")],
  ])("of %s", async (_what, html) => {
    expect(htmlToText(html).length).toBeLessThan(4 * MAX_CHARACTERS)
    await expectCheap(() => htmlToText(html))
  })
})

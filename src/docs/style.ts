export const STYLE = `
:root{color-scheme:light dark;--page:#fff;--soft:#f5f6f8;--line:#dfe2e7;--text:#1b1f24;--quiet:#59626d;--link:#0b57d0;--get:#0b6e3b;--post:#0b57d0;--patch:#8a4b00;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--page:#111418;--soft:#1b2026;--line:#30363d;--text:#e6e9ec;--quiet:#a0a9b4;--link:#a8c7fa;--get:#7ddba3;--post:#a8c7fa;--patch:#f2bb6b;--delete:#f5a59f}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,sans-serif;overflow-wrap:break-word}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:.2rem}
.up{position:fixed;right:1rem;bottom:1rem;padding:.4rem .8rem;border:1px solid var(--line);border-radius:1rem;background:var(--page);font-size:.875rem}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;z-index:1;padding:.5rem 1rem;background:var(--page)}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
code{overflow-wrap:anywhere}
p code,td code,li code{padding:.1em .3em;border-radius:.25rem;background:var(--soft)}
pre{margin:.5rem 0 1rem;padding:.875rem 1rem;max-height:34rem;overflow:auto;border:1px solid var(--line);border-radius:.5rem;background:var(--soft)}
section>pre{max-width:54rem}
pre code{font-size:.8125rem;overflow-wrap:normal}
nav{padding:1rem 1.25rem;border-bottom:1px solid var(--line);font-size:.875rem}
nav ul{list-style:none;margin:0;padding:0;columns:2;column-gap:1rem}
nav li{margin:0;break-inside:avoid}nav ul ul{display:none}
nav a{display:block;padding:.3rem 0;color:var(--text);text-decoration:none}
nav a:hover{color:var(--link);text-decoration:underline}
.brand{margin:0;font-size:1.0625rem;font-weight:650}
.group{margin:1rem 0 .25rem;color:var(--quiet);font-weight:600}
main{padding:1.5rem 1.25rem 6rem;max-width:76rem}
h1{margin:0;font-size:2rem;line-height:1.2;letter-spacing:-.01em}
h2{margin:4rem 0 .75rem;padding-top:1.25rem;border-top:1px solid var(--line);font-size:1.5rem;line-height:1.3}
section:first-of-type h2{margin-top:1.5rem}
h3{margin:2.5rem 0 .5rem;font-size:1.125rem;line-height:1.4}
h4{margin:1.5rem 0 .25rem;font-size:.9375rem}
h3 code,h4 code{font-weight:inherit}
h2 a,h3 a{color:inherit;text-decoration:none}
h2 a:hover::after,h3 a:hover::after{content:" #";color:var(--quiet)}
section>p,section>ul,dd p{max-width:44rem}
p{margin:.5rem 0}ul{margin:.5rem 0;padding-left:1.25rem}li{margin:.3rem 0}
article{padding-bottom:1rem}
article+article{border-top:1px solid var(--line)}
.line{margin:.25rem 0}.method{margin-right:.35rem;font:650 .8125rem ui-monospace,monospace;color:var(--get)}
.post{color:var(--post)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.who,.small,.note,.type,.caption,.status{font-size:.875rem;color:var(--quiet)}
.note,.status{font-weight:400}.note+.note::before,.type+.note::before,.required+.note::before{content:"· "}
.required{font-size:.8125rem;color:var(--delete)}
.caption{margin:0}
dl{margin:.25rem 0}
dl>div{padding:.5rem 0;border-top:1px solid var(--line)}
dl>div:first-child{border-top:0}
dt>code{font-weight:600;margin-right:.25rem}
dd{margin:0}dd p{margin:.15rem 0}
dd dl,.variant dl{margin-left:.125rem;padding-left:.875rem;border-left:2px solid var(--line)}
.scroll{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;font-size:.9375rem}
th,td{padding:.45rem 1rem .45rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-weight:600;color:var(--quiet);white-space:nowrap}
td code{white-space:nowrap}
@media (min-width:64rem){
body{display:grid;grid-template-columns:17rem minmax(0,1fr)}
.up{display:none}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;border-bottom:0;border-right:1px solid var(--line)}
nav ul{columns:1}nav ul ul{display:block;margin:0 0 .5rem .1rem;padding-left:.75rem;border-left:1px solid var(--line)}
nav ul ul a{color:var(--quiet);font-size:.8125rem;padding:.15rem 0}
main{padding:2rem 2.5rem 8rem}
}
@media (min-width:80rem){
.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,27rem);gap:2.5rem;align-items:start}
.looks{position:sticky;top:1rem}.looks pre{max-height:18rem}
}
@media (max-width:30rem){
td+td code{white-space:normal}th,td{padding-right:.6rem}
table:has(th:nth-child(3)) thead{position:absolute;left:-999px}
table:has(th:nth-child(3)) tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
td:has(~td:nth-child(3)),td:nth-child(2):has(+td){display:inline;padding:0 .6rem 0 0;border:0;color:var(--quiet)}
td:nth-child(3){display:block;padding:.1rem 0 0;border:0}
}
@media print{nav,.skip,.up{display:none}body{display:block;font-size:9pt}main{padding:0;max-width:none}pre,.looks pre{max-height:none;padding:.4rem;white-space:pre-wrap;overflow:visible}pre code{font-size:6.5pt;overflow-wrap:anywhere}.two{display:grid;grid-template-columns:3fr 2fr;gap:1rem}.looks{position:static}h2{margin-top:2rem}h3{margin-top:1rem}dl>div{padding:.15rem 0}h4{margin-top:.75rem}h2,h3,h4,dt{break-after:avoid}a{color:inherit}}
`

/** A page, the Markdown of what a reader sees in it, and the warnings. */
export type HtmlCase = readonly [name: string, html: string, markdown: string, warnings?: readonly string[]]

const hidden = (count = 1): readonly string[] => [count > 1 ? `hidden_text ×${count}` : 'hidden_text']
const styled = (css: string, body: string): string => `<html><head><style>${css}</style></head><body>${body}</body></html>`

export const HIDDEN: readonly HtmlCase[] = [
  ['the attribute hidden', '<p>a</p><p hidden>b</p>', 'a', hidden()],
  ['display: none', '<p>a</p><p style="display:none">b</p>', 'a', hidden()],
  ['visibility: hidden', '<p>a</p><p style="Visibility: hidden !important">b</p>', 'a', hidden()],
  ['opacity 0 and font size 0', '<p>a</p><p style="opacity:0.0">b</p><p style="font-size: 0px">c</p>', 'a', hidden(2)],
  ['a half-transparent text is seen', '<p style="opacity:0.5">a</p>', 'a'],
  ['a class of a style element', styled('.off{display:none}', '<p>a</p><p class="x off">b</p>'), 'a', hidden()],
  [
    'a list of selectors and an id',
    styled('h1, #x , .y{color:red;display:none}', '<p>a</p><p id=x>b</p><p class=y>c</p>'),
    'a',
    hidden(2),
  ],
  ['a child selector', styled('div > p.n{display:none}', '<div><p class=n>b</p></div><p class=n>a</p>'), 'a', hidden()],
  [
    'a later class shows it again',
    styled('.p{display:none} .p.open{display:block}', '<p class=p>b</p><p class="p open">a</p>'),
    'a',
    hidden(),
  ],
  ['an inline style shows it again', styled('.p{display:none}', '<p class=p style="display:block">a</p>'), 'a'],
  ['rules for print', styled('@media print{p{display:none}}', '<p>a</p>'), 'a'],
  ['rules for screens', styled('@media screen { .n{display:none} }', '<p>a</p><p class=n>b</p>'), 'a', hidden()],
  ['rules in comments', styled('/* p{display:none} */ b{color:red}', '<p>a</p>'), 'a'],
  ['a state of the pointer', styled('p:hover{display:none}', '<p>a</p>'), 'a'],
  [
    'text outside of the page',
    '<p>a</p><p style="position:absolute;left:-9999px">b</p><p style="text-indent:-999em">c</p>',
    'a',
    hidden(2),
  ],
  [
    'text for screen readers',
    styled('.sr-only{position:absolute;width:1px;height:1px;clip:rect(0, 0, 0, 0)}', '<p>a<span class=sr-only>b</span></p>'),
    'a',
    hidden(),
  ],
  [
    'the colour of the background',
    '<p>a</p><p style="color:#FFF;background:white">b</p><p style="color: transparent">c</p>',
    'a',
    hidden(2),
  ],
  ['templates and noscript', '<p>a</p><template><p>b</p></template><noscript>c</noscript>', 'a', hidden(2)],
  ['a closed dialog, not an open one', '<dialog>b</dialog><dialog open>a</dialog>', 'a', hidden()],
  ['scripts, styles and comments', '<p>a</p><script>b()</script><style>c{}</style><!-- d -->', 'a'],
  ['elements without text', '<p>a</p><p hidden></p><div style="display:none"><img src=x></div>', 'a'],
  [
    'frames and media',
    '<p>a</p><iframe src=x></iframe><video>b</video><object>c</object>',
    'a',
    ['ignored_part iframe', 'ignored_part video', 'ignored_part object'],
  ],
]

export const TEXT: readonly HtmlCase[] = [
  [
    'exponents and indices',
    '<p>10<sup>6</sup> H<sub>2</sub>O x<sup>n+1</sup> e<sup>kt</sup> a<sub>max</sub></p>',
    '10⁶ H₂O xⁿ⁺¹ e^kt a_max',
  ],
  ['terms with several parts', '<p>2<sup>a / b</sup>, x<sub>i, j</sub></p>', '2^(a / b), x_(i, j)'],
  ['ordinals and signs', '<p>1<sup>st</sup> 2<sup>e</sup> Acme<sup>TM</sup> B<sup>®</sup></p>', '1st 2e Acme™ B®'],
  [
    'marks of footnotes',
    '<p>fee 25<sup><a href="#fn3">3</a></sup> or 30<sup class="footnote">4</sup> or 40<a href="#n"><sup>5</sup></a> or 50<sup>[6]</sup></p>',
    'fee 25[3] or 30[4] or 40[5] or 50[6]',
  ],
  ['soft hyphens', '<p>Reise&shy;kosten&shy;abrech&#173;nung</p>', 'Reisekostenabrechnung'],
  ['ruby', '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を</p>', '漢字(かんじ)を'],
  ['ruby with Latin guides', '<p><ruby>北<rt>běi</rt>京<rt>jīng</rt></ruby></p>', '北京(běi jīng)'],
  [
    'MathML fractions and roots',
    '<p>x <math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><mo>=</mo><msqrt><mn>3</mn></msqrt></math></p>',
    'x (a+b)/2=√3',
  ],
  [
    'MathML powers and sums',
    '<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msup><mi>x</mi><mn>2</mn></msup></math>',
    '∑_(i=1)ⁿx²',
  ],
  [
    'MathML without its annotation',
    '<math><semantics><msub><mi>v</mi><mn>0</mn></msub><annotation encoding="application/x-tex">v_{0}</annotation></semantics></math>',
    'v₀',
  ],
  ['quotations', '<p>He said <q>yes, <q>no</q></q>.</p>', 'He said “yes, ‘no’”.'],
  [
    'sources of quotations',
    '<blockquote cite="https://x.example"><p>To be</p><footer>— <cite>Hamlet</cite></footer></blockquote>',
    '> To be\n> \n> — Hamlet',
  ],
  ['deleted text', '<p>Price <s>100</s> <del>90</del> 80</p>', 'Price ~~100~~ ~~90~~ 80'],
  ['definitions', '<dl><dt>Term<dd>One<dd>Two<dt>Other<dd>Three</dl>', 'Term\n: One\n: Two\n\nOther\n: Three'],
  ['figures', '<figure><img src=a.png alt="A plan"><figcaption>Fig. 1</figcaption></figure>', 'A plan\n\nFig. 1'],
  ['pictures without a text', '<p>a<img src=a.png><img src=p.gif width=1><img src=b.png alt=""></p>', 'a', ['picture']],
  ['text in drawings', '<p>a</p><svg><title>t</title><text>North</text><text>South</text></svg>', 'a\n\nNorth South'],
  ['letters of lists', '<ol type=a start=2><li>x<li>y</ol><ol type=I><li value=9>z</ol>', 'b.  x\nc.  y\n\nIX. z'],
  ['reversed lists', '<ol reversed><li>x<li>y</ol>', '2.  x\n1.  y'],
  ['nested lists', '<ul><li>a<ol><li>b</ol><li>c</ul>', '-   a\n    1.  b\n-   c'],
  [
    'code as it is written',
    '<pre class="language-py"># no heading\n<b>def</b> f():\n    return 1</pre>',
    '```py\n# no heading\ndef f():\n    return 1\n```',
  ],
  ['code in lines of its own', '<pre><code><div>a</div><div>  b</div></code></pre>', '```\na\n  b\n```'],
  ['line breaks in headings', '<h2>One<br>two</h2><p>a<br>b</p>', '## One two\n\na  \nb'],
  ['blocks by style', '<span style="display:block">a</span><span style="display:block">b</span>', 'a\n\nb'],
  ['entities that are not markup', '<p>a &lt;b&gt; &amp;amp;</p>', 'a <b> &amp;'],
]

export const PARTS: readonly HtmlCase[] = [
  [
    'an accordion',
    '<h3><button aria-expanded=false aria-controls=p>How?</button></h3><div id=p hidden><p>So.</p></div>',
    '### How?\n\nSo.',
  ],
  ['details', '<details><summary>More</summary><p>Inside</p></details>', 'More\n\nInside'],
  [
    'tabs',
    '<div role=tablist><button role=tab aria-controls=a>A</button><button role=tab aria-controls=b>B</button></div><div id=a>x</div><div id=b hidden>y</div>',
    'A B\n\nx\n\ny',
  ],
  [
    'values of fields',
    '<p>Name <input value="Ann"><input type=hidden value=h><input type=password value=p> Note <textarea>abc</textarea></p>',
    'Name Ann Note abc',
  ],
  ['boxes', '<p><label><input type=checkbox checked> Yes</label> <input type=radio> No</p>', '☒ Yes ☐ No'],
  ['the chosen option', '<p>Size <select><option>S<option selected>M<option>L</select></p>', 'Size M'],
  ['options of a list', '<select multiple><option>S<option selected>M</select>', '☐ S ☒ M'],
  ['buttons', '<form><button>Send</button><input type=submit value="Go"></form>', 'Send Go'],
  [
    'navigation and footers',
    '<nav><a href=/>Home</a></nav><main><h1>T</h1><p>Text of the page</p></main><footer>Imprint</footer>',
    '# T\n\nText of the page',
    ['navigation ×2'],
  ],
  [
    'the header of a page',
    '<header><a href=/>Acme</a> <button>Menu</button></header><main><h1>T</h1><p>Text of the page</p></main>',
    '# T\n\nText of the page',
    ['navigation'],
  ],
  [
    'headers with a title or text, and the header of an article',
    '<header><h1>T</h1><a href=/>x</a></header><header><p>Valid from May.</p><a href=/>y</a></header><article><header><a href=/a>Ann</a></header><p>Text</p></article>',
    '# T\n\nx\n\nValid from May.\n\ny\n\nAnn\n\nText',
  ],
  ['the footer of an article', '<article><p>Text</p><footer>By Ann</footer></article>', 'Text\n\nBy Ann'],
  [
    'a page that is navigation',
    '<nav><ul><li><a href=/a>Leave policy of all offices</a></ul></nav><p>Index</p>',
    '-   Leave policy of all offices\n\nIndex',
  ],
  [
    'navigation with text',
    '<nav><p>Call 555-0100 before noon, or write to the office of your own country.</p><a href=/>x</a></nav><p>The other text of this page is much longer than its navigation, so that it would be left out.</p>',
    'Call 555-0100 before noon, or write to the office of your own country.\n\nx\n\nThe other text of this page is much longer than its navigation, so that it would be left out.',
  ],
]

const table = (rows: string): string => `<table>${rows}</table>`

export const TABLES: readonly HtmlCase[] = [
  [
    'cells over two rows',
    table('<tr><th>R<th>P<th>U<tr><td rowspan=2>EU<td>A<td>1<tr><td>B<td>2<tr><td>US<td>A<td>3'),
    '| R | P | U |\n| --- | --- | --- |\n| EU | A | 1 |\n| EU | B | 2 |\n| US | A | 3 |',
  ],
  [
    'a cell over rows at the end',
    table('<tr><th>A<th>B<tr><td>1<td rowspan=2>x<tr><td>2'),
    '| A | B |\n| --- | --- |\n| 1 | x |\n| 2 | x |',
  ],
  [
    'a cell over rows and columns',
    table('<tr><td rowspan=2 colspan=2>x<td>1<tr><td>2'),
    '| x |  | 1 |\n| --- | --- | --- |\n| x |  | 2 |',
  ],
  [
    'a header of two rows',
    table('<thead><tr><th rowspan=2>R<th colspan=2>Y<tr><th>a<th>b<tbody><tr><td>x<td>1<td>2'),
    '| R | Y |  |\n| --- | --- | --- |\n| R | a | b |\n| x | 1 | 2 |',
  ],
  [
    'rowspan=0 ends with its group',
    table('<tbody><tr><td rowspan=0>x<td>1<tr><td>2<tbody><tr><td>y<td>3'),
    '| x | 1 |\n| --- | --- |\n| x | 2 |\n| y | 3 |',
  ],
  ['rows wider than the header', table('<tr><th>A<tr><td>1<td>2'), '| A |  |\n| --- | --- |\n| 1 | 2 |'],
  [
    'a foot before the body',
    table('<tr><th>A<th>B<tfoot><tr><td>sum<td>3<tbody><tr><td>x<td>3'),
    '| A | B |\n| --- | --- |\n| x | 3 |\n| sum | 3 |',
  ],
  [
    'line breaks and paragraphs in cells',
    table('<tr><th>A<th>B<tr><td rowspan=2>a<br>b<td><p>c</p><p>d</p><tr><td>e|f'),
    '| A | B |\n| --- | --- |\n| a b | c d |\n| a b | e\\|f |',
  ],
  [
    'captions and hidden rows',
    table('<caption>Fees</caption><tr><th>A<th>B<tr hidden><td>1<td>2<tr><td>3<td>4'),
    'Fees\n\n| A | B |\n| --- | --- |\n| 3 | 4 |',
    hidden(),
  ],
  [
    'a table for layout',
    table('<tr><td><table><tr><th>A<th>B<tr><td>1<td>2</table><td>side'),
    '| A | B |\n| --- | --- |\n| 1 | 2 |\n\nside',
  ],
]

/** A file, the Markdown of what a person reads in it, and the warnings. */
export type FileCase = readonly [name: string, content: string, markdown: string, warnings?: readonly string[]]

export const CSV: readonly FileCase[] = [
  [
    'a title and decimal commas',
    'Account statement\nPeriod: 2026-01\n\nDate;Text;Amount\n2026-01-03;Rent;-850,00\n2026-01-05;Tools;-12,40\n',
    'Account statement\n\nPeriod: 2026-01\n\n| Date | Text | Amount |\n| --- | --- | --- |\n| 2026-01-03 | Rent | -850,00 |\n| 2026-01-05 | Tools | -12,40 |',
  ],
  [
    'a title with empty cells',
    'Stock list,,\nNorth,,\nid,name,n\n1,Bolt,3\n2,Nut,4\n',
    'Stock list\n\nNorth\n\n| id | name | n |\n| --- | --- | --- |\n| 1 | Bolt | 3 |\n| 2 | Nut | 4 |',
  ],
  ['the line of Excel', 'sep=;\nArticle;Price\nBolt;0,35\n', '| Article | Price |\n| --- | --- |\n| Bolt | 0,35 |'],
  ['the line of Excel with another delimiter', '"sep=|"\r\na|b\r\n1,5|2;0\r\n', '| a | b |\n| --- | --- |\n| 1,5 | 2;0 |'],
  ['as many decimal commas as semicolons', 'a;b\n1,5;2,5\n3,5;4,5\n', '| a | b |\n| --- | --- |\n| 1,5 | 2,5 |\n| 3,5 | 4,5 |'],
  ['numbers between commas', 'a,b\n1,2\n3,4\n', '| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |'],
  ['tabs and pipes', 'a\tb|c\n1,5\tx|y\n', '| a | b\\|c |\n| --- | --- |\n| 1,5 | x\\|y |'],
  ['a lone quote at the start of a cell', 'a,b\n"x,1\ny,2\n', '| a | b |\n| --- | --- |\n| "x | 1 |\n| y | 2 |'],
  [
    'lone quotes in two rows',
    'a,b\n"x,1\ny,2\nz,3"\nv,4\n',
    '| a | b |\n| --- | --- |\n| "x | 1 |\n| y | 2 |\n| z | 3" |\n| v | 4 |',
  ],
  ['a lone quote within a cell', 'a,b\n5" pipe,1\n"abc" def,2\n', '| a | b |\n| --- | --- |\n| 5" pipe | 1 |\n| "abc" def | 2 |'],
  [
    'doubled quotes, delimiters and line breaks in quotes',
    'a,b\n"x, ""y""","1\n2"\n',
    '| a | b |\n| --- | --- |\n| x, "y" | 1 2 |',
  ],
  ['a quoted cell with lines that look like rows', 'a,b\n"x, y\nz, w",2\n', '| a | b |\n| --- | --- |\n| x, y z, w | 2 |'],
  ['ragged rows', 'a,b\n1\n1,2,3,4\n', '| a | b |  |  |\n| --- | --- | --- | --- |\n| 1 |  |\n| 1 | 2 | 3 | 4 |'],
  ['empty rows', 'a,b\n\n,\n1,2\n', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
  ['an index without a name', ',a,b\n0,x,y\n', '|  | a | b |\n| --- | --- | --- |\n| 0 | x | y |'],
  ['one column', 'name\nAnn\nBob\n', '| name |\n| --- |\n| Ann |\n| Bob |'],
  ['line ends of old programs', 'a,b\r1,2\r', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
]

export const JSON_FILES: readonly FileCase[] = [
  [
    'ids of 16 to 19 digits',
    '{"order_id": 9007199254740993, "tweet": 1288834974657000123}',
    '- order_id: 9007199254740993\n- tweet: 1288834974657000123',
  ],
  ['digits behind the point', '{"version": 1.10, "amount": 0.10, "zero": -0.0}', '- version: 1.10\n- amount: 0.10\n- zero: -0.0'],
  ['exponents', '[1e400, 1E+2, 12345678901234567890.5]', '- 1e400\n- 1E+2\n- 12345678901234567890.5'],
  ['the order of fields', '{"2025": "b", "2024": "a"}', '- 2025: b\n- 2024: a'],
  ['a name that is there twice', '{"a": 1, "a": 2}', '- a: 1\n- a: 2'],
  ['escapes', '{"a\\"b": "x\\\\", "c": "\\u00e9\\n\\"y\\""}', '- a"b: x\\\n- c: é\n  "y"'],
  ['names of inherited fields', '{"__proto__": {"constructor": true}}', '## __proto__\n\n- constructor: true'],
  ['empty values', '{"a": [], "b": {}, "c": "", "d": null, "e": [[1]]}', '- c: \n- d: null\n\n### e[0]\n\n- 1'],
  ['one value', ' 12.50 ', '12.50'],
]

const cell = (type: string, source: string, more: object = {}) => ({
  cell_type: type,
  metadata: {},
  source: source.split(/(?<=\n)/),
  ...more,
})
const code = (source: string, ...outputs: object[]) => cell('code', source, { outputs })
const notebook = (...cells: object[]) =>
  JSON.stringify({ cells, metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5 })
const picture = { output_type: 'display_data', data: { 'image/png': 'AAEC'.repeat(1_000), 'text/plain': ['<Figure>'] } }

export const NOTEBOOKS: readonly FileCase[] = [
  [
    'Markdown, and code with its indentation',
    notebook(cell('markdown', '# F\n\nText.'), code('def f(x):\n    return 1\n')),
    '# F\n\nText.\n\n```python\ndef f(x):\n    return 1\n```',
  ],
  ['pictures', notebook(code('plot()', picture)), '```python\nplot()\n```', ['picture at cell 1']],
  [
    'pictures in Markdown',
    notebook(cell('markdown', 'a ![x](data:image/png;base64,AAAA) b', { attachments: { 'p.png': {} } })),
    'a  b',
    ['picture ×2 at cell 1'],
  ],
  [
    'printed text',
    notebook(code('print(1)', { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] })),
    '```python\nprint(1)\n```\n\n```\n1\n2\n```',
  ],
  [
    'tables as HTML',
    notebook(
      code('df', {
        output_type: 'execute_result',
        data: { 'text/html': '<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'text/plain': 'a b' },
      }),
    ),
    '```python\ndf\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'errors without colours',
    notebook(code('x', { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[0;31mE\u001b[0m', 'line 1'] })),
    '```python\nx\n```\n\n```\nE\nline 1\n```',
  ],
  ['code with fences', notebook(code('s = """\n```\n"""')), '````python\ns = """\n```\n"""\n````'],
  [
    'widgets',
    notebook(code('w', { output_type: 'display_data', data: { 'application/vnd.jupyter.widget-view+json': {} } })),
    '```python\nw\n```',
    ['ignored_part interactive output at cell 1'],
  ],
  [
    'version 3',
    JSON.stringify({
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'H' },
            { cell_type: 'code', input: ['x = 1'], outputs: [{ output_type: 'stream', text: 'out' }] },
          ],
        },
      ],
      metadata: {},
    }),
    '## H\n\n```\nx = 1\n```\n\n```\nout\n```',
  ],
]

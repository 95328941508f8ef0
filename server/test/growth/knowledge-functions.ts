import { blocksOf } from '../../src/domains/knowledge/chunking/blocks.ts'
import { chunkMarkdown } from '../../src/domains/knowledge/chunking/chunk.ts'
import { declaredNames } from '../../src/domains/knowledge/chunking/declared-names.ts'
import { countTokens } from '../../src/domains/knowledge/chunking/tokens.ts'
import { detectCharset } from '../../src/domains/knowledge/parsing/charset-detector.ts'
import { readCsv } from '../../src/domains/knowledge/parsing/formats/csv.ts'
import { splitFrontMatter } from '../../src/domains/knowledge/parsing/formats/front-matter.ts'
import { readHtml } from '../../src/domains/knowledge/parsing/formats/html.ts'
import { readJson, readJsonLines } from '../../src/domains/knowledge/parsing/formats/json.ts'
import { readNotebook } from '../../src/domains/knowledge/parsing/formats/notebook.ts'
import { isNotebook } from '../../src/domains/knowledge/parsing/formats/notebook-type.ts'
import { escapeLines } from '../../src/domains/knowledge/parsing/formats/office/blocks.ts'
import { resolveHyphens } from '../../src/domains/knowledge/parsing/formats/pdf/hyphens.ts'
import { writeLinks } from '../../src/domains/knowledge/parsing/formats/pdf/links.ts'
import { paragraphsOf } from '../../src/domains/knowledge/parsing/formats/pdf/paragraphs.ts'
import { logicalOrder } from '../../src/domains/knowledge/parsing/formats/pdf/right-to-left.ts'
import { tableOf } from '../../src/domains/knowledge/parsing/formats/pdf/table.ts'
import { parseXml } from '../../src/domains/knowledge/parsing/formats/xml.ts'
import { detectType } from '../../src/domains/knowledge/parsing/media-type.ts'
import { firstHeading } from '../../src/domains/knowledge/parsing/parse-file.ts'
import { asTitle, cleanText, decodeText } from '../../src/domains/knowledge/parsing/text.ts'
import { decodeUtf16 } from '../../src/domains/knowledge/parsing/utf16.ts'
import { Warnings } from '../../src/domains/knowledge/parsing/warning.ts'
import { splitHeadings } from '../../src/domains/knowledge/passages.ts'
import { normalizeContent, signatureText } from '../../src/domains/memory/duplicate-text.ts'
import { explicitMemories } from '../../src/domains/memory/explicit.ts'
import { parseExtraction } from '../../src/domains/memory/extract.ts'
import { subjectKey, subjectOf, wordsOf } from '../../src/domains/memory/subject.ts'
import { queryOf, vectorOf } from '../../src/domains/messaging/messages/message-words.ts'
import { termsOf } from '../../src/domains/retrieval/language.ts'
import { parseQuery } from '../../src/domains/retrieval/query.ts'
import { cutText } from '../../src/domains/retrieval/semantic/embedder.ts'
import { splitWords } from '../../src/domains/retrieval/words.ts'
import { joinAdjacent } from '../../src/pipeline/join-adjacent.ts'
import { bytes, LIMIT, refused, shapes, type TextFunction } from './text-function.ts'

export const KNOWLEDGE_FUNCTIONS: Readonly<Record<string, TextFunction>> = {
  chunkMarkdown: {
    run: chunkMarkdown,
    most: 1 << 16,
    shapes: shapes(
      ['# ', ' ', 'x'.repeat(2000)],
      ['|a|\n|-|\n', '|a|\n', ''],
      ['', 'a. ', ''],
      ['', '# a\n', ''],
      ['```\n', 'a\n', ''],
      ['- a\n', '\n', 'b'],
      ['- a\n', '\n\n- b', ''],
    ),
  },
  blocksOf: {
    run: blocksOf,
    shapes: shapes(['- a\n', '\n', 'b'], ['- a\n', '\n\nb', ''], ['# ', ' #', ''], ['', 'a|\n', ''], ['', 'a|\n-', '']),
  },
  countTokens: { run: countTokens, most: 1 << 16 },
  readCsv: {
    run: (text) => refused(() => readCsv(text, LIMIT)),
    most: 1 << 16,
    shapes: shapes(['a,b\n', 'a,', ''], ['', 'a,b\n', ''], ['a\n"', '""', '"'], ['a,b\n', '"a,b\n', ''], ['a,b\n', '"a" b,', '']),
  },
  splitFrontMatter: {
    run: (text) => refused(() => splitFrontMatter(text)),
    most: 1 << 16,
    shapes: shapes(
      ['---\ntitle: a\n', 'b: c\n', '---\n'],
      ['---\ntitle: a\n', '- ', '\n---\n'],
      ['---\ntitle: ', ' ', 'a\n---\n'],
      ['---\ntitle: ', '[', '\n---\n'],
      ['---\ntitle: ', '{a: ', '\n---\n'],
      ['---\ntitle: a\n', '\n ', '---'],
      ['---\ntitle: a\n', '&a ', '\n---'],
    ),
  },
  // turndown is quadratic in nested elements and in spaces of <pre>; the parser's thread ends such a file after its time limit (parser-pool.ts).
  readHtml: {
    run: (text) => refused(() => readHtml(text, new Warnings())),
    most: 1 << 15,
    common: {},
    shapes: shapes(
      ['<pre>', '\n', 'x</pre>'],
      ['<p>', ' ', 'x'],
      ['<p>', 'a<br>', ''],
      ['', '<p>a</p>', ''],
      ['<table>', '<tr><td>a</td></tr>', ''],
      ['<ul>', '<li>a</li>', ''],
      ['', '<a href=b>c</a>', ''],
      ['<a title="', '\n', '">a</a>'],
      ['<td>', '|', ''],
      ['<html ', 'a ', ''],
      ['<p style="', ' ', '">'],
      ['', 'a<sup>2</sup>', ''],
      ['', '<nav>x</nav><p>ab</p>', ''],
      ['<ol>', '<li>a', ''],
      ['<dl>', '<dt>a<dd>b', ''],
      ['<style>', 'p{display:none}', '</style><p>a'],
      ['<style>', '/*', ''],
      ['<style>', '{', ''],
      ['<form>', '<input value=a>', ''],
    ),
  },
  readJson: {
    run: (text) => refused(() => readJson(text, LIMIT)),
    shapes: shapes(
      ['["', 'a ', '"]'],
      ['["x', ' ', 'x"]'],
      ['["x', '\\n', 'x"]'],
      ['[', '[],', '[]]'],
      ['[', '"a",', '1]'],
      ['["', ' \\t', '\\n"]'],
    ),
  },
  isNotebook: { run: (text) => refused(() => isNotebook(`{"nbformat":4,"a":${JSON.stringify(text)}}`)) },
  readNotebook: {
    run: (text) =>
      refused(() => readNotebook(JSON.stringify({ cells: [{ cell_type: 'markdown', source: text }] }), LIMIT, new Warnings())),
    shapes: shapes(['', '![', ''], ['', '![](data:', ''], ['', 'data:image/', '']),
  },
  detectCharset: {
    run: (text) => detectCharset(Buffer.from(text, 'latin1')),
    shapes: shapes(['', '\xe4', ''], ['', '\xe4<', '']),
  },
  decodeUtf16: { run: (text) => decodeUtf16(Buffer.from(text, 'utf16le')) },
  readJsonLines: { run: (text) => refused(() => readJsonLines(text, LIMIT)), shapes: shapes(['', '{"a":1}\n', '']) },
  resolveHyphens: {
    run: resolveHyphens,
    shapes: shapes(
      ['', 'a-\u0004b ', ''],
      ['', 'a-', '\u0004'],
      ['', 'a-\u0004', 'b'],
      ['', '\u0004', 'a'],
      ['\u0004', 'a-b ', ''],
    ),
  },
  writeLinks: {
    run: writeLinks,
    shapes: shapes(
      ['', '\u0001a\u0002b\u0003 ', ''],
      ['', '\u0001', 'a'],
      ['\u0001a\u0002', '[', '\u0003'],
      ['\u0001', '(', '\u0002a\u0003'],
    ),
  },
  logicalOrder: {
    run: logicalOrder,
    shapes: shapes(['', 'א', ''], ['', 'א a ', ''], ['א', '(', 'a'], ['', 'aא', ''], ['', 'aאb c', '']),
  },
  paragraphsOf: {
    run: (text) => paragraphsOf(text.split('\n').map((line, at) => ({ text: line, top: -at, height: 1, left: 0 }))),
    shapes: shapes(['', 'a-\n', 'b'], ['', 'a\n', 'b'], ['', '漢\n', 'b']),
  },
  tableOf: {
    run: (text) => tableOf(text.split('\n').map((line, at) => ({ top: -at, height: 1, cells: line.split(' ') }))),
    shapes: shapes(
      ['a b c\n', ' b \n', 'd'],
      ['a b c\n', 'a b c\n', ''],
      ['a b\n', '1.1.1. b\n', ''],
      ['', '1.', ' b\n'],
      ['', 'i', ' b\n'],
    ),
  },
  parseXml: {
    run: (text) => refused(() => parseXml(text)),
    shapes: shapes(
      ['<a>', '<b>', ''],
      ['<a>', '<b/>', '</a>'],
      ['<a ', 'b="c" ', '/>'],
      ['<a b="', '&lt;', '"/>'],
      ['<a>', '&#65;', '</a>'],
      ['<!DOCTYPE a [', '<!ENTITY b "c">', ']><a/>'],
      ['<a>', '<!--', '</a>'],
      ['<a ', ' ', '/>'],
    ),
  },
  escapeLines: { run: escapeLines, shapes: shapes(['', ' \t', 'x'], ['', '# a\n', ''], ['', '~~~', '']) },
  detectType: {
    run: (text) => refused(() => detectType(bytes(text), 'a', undefined, new Warnings())),
    shapes: shapes(
      ['', '<!-- -->', ''],
      ['---\ntitle:', '\n ', ''],
      ['---\n', 'title', ''],
      ['Subject: a\n', ' a\n', ''],
      ['', 'a:\n', ''],
    ),
  },
  decodeText: {
    run: (text) => refused(() => decodeText(bytes(text), undefined, new Warnings())),
    shapes: shapes(['', '\ufffd', ''], ['', '<meta ', ''], ['<', '<!-- ', ''], ['<', '<!-- -->', '']),
  },
  cleanText: { run: cleanText, shapes: shapes(['', ' \t', 'x'], ['', '\t\n', 'x']) },
  asTitle: { run: asTitle },
  firstHeading: {
    run: firstHeading,
    shapes: shapes(['#', ' ', 'x'.repeat(2_000)], ['# a', ' #', 'b'], ['', '# ', ''], ['', '# a\n', '']),
  },
  explicitMemories: {
    run: explicitMemories,
    shapes: shapes(
      ['', 'remember that a. ', ''],
      ['', 'hey ', ''],
      ['remember', ' ', 'x'],
      ['remember my ', 'a ', 'b'],
      ['', 'on a wrote', ''],
      ['', '“', ''],
      ['', "'a ", ''],
      ['', 'e.g. ', ''],
      ['', 'from:\n', ''],
    ),
  },
  parseExtraction: {
    run: parseExtraction,
    shapes: shapes(['', '```json\n', ''], ['', '[', ''], ['', '[]', ''], ['```', ' ', '[]']),
  },
  splitHeadings: {
    run: (text) => splitHeadings(text, []),
    shapes: shapes(['# ', ' ', 'x'], ['# ', ' ', 'x\n'], ['', '# a\n', 'b'], ['# a', ' #', '\nb'], ['#', '\n', 'x']),
  },
  normalizeContent: { run: normalizeContent, shapes: shapes(['', '- ', ''], ['', '( ', ''], ['', '"', 'a'], ['a', '" ', '']) },
  signatureText: {
    run: signatureText,
    shapes: shapes(['', 'a+', ''], ['', '+', ''], ['a', '.,', ''], ['', 'a.,:', ''], ['a', '#', 'b']),
  },
  declaredNames: {
    run: declaredNames,
    shapes: shapes(['', ' ', 'x'], ['', 'static ', 'x'], ['', 'class a\n', ''], ['class ', 'a', ' ']),
  },
  joinAdjacent: {
    run: (text) => joinAdjacent([0, 1].map((position) => ({ documentId: 'd', position, content: text, headings: [] }) as never)),
  },
  subjectOf: { run: (text) => subjectOf(text, 'user'), shapes: shapes(['my ', 'a ', 'is b'], ['my a is ', 'is ', '']) },
  subjectKey: { run: subjectKey },
  wordsOf: { run: wordsOf, shapes: shapes(['', '.', 'x'], ['', "'s", ''], ['', '( ', '']) },
  vectorOf: { run: (text) => vectorOf('x', text), shapes: shapes(['', 'a-', ''], ['', '東', ''], ['', '\u00ad ', '']) },
  queryOf: { run: queryOf, shapes: shapes(['', '"', ''], ['', '-', ''], ['', 'a or ', ''], ['', '"a', '']) },
  cutText: { run: cutText },
  parseQuery: { run: (text) => parseQuery({ text, earlier: [text] }, ['en', 'de', 'none']) },
  termsOf: { run: (text) => termsOf(text, 'en') },
  splitWords: {
    run: splitWords,
    shapes: shapes(
      ['a', '-', 'b'],
      ['', 'a-', ''],
      ['', 'aA', ''],
      ['', 'AA', 'a'],
      ['', 'a.b_', ''],
      ['', "a'", ''],
      ['東', '\n', '東'],
      ['', '東\n', ''],
      ['', 'c++ ', ''],
    ),
  },
}

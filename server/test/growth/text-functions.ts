import { canonicalText } from '../../src/audit/canonical.ts'
import { resolveOverlaps } from '../../src/classification/overlaps.ts'
import { scan } from '../../src/classification/scan.ts'
import { scanSplit } from '../../src/classification/scan-split.ts'
import { readable, rewritten } from '../../src/domain/json-text.ts'
import { withInspectedLogprobs } from '../../src/domain/logprobs.ts'
import { collectTexts, replaceTexts } from '../../src/domain/message.ts'
import { parseForm } from '../../src/http/form-decoder.ts'
import { requestIdOf } from '../../src/http/request-id.ts'
import { blocksOf } from '../../src/knowledge/chunking/blocks.ts'
import { chunkMarkdown } from '../../src/knowledge/chunking/chunk.ts'
import { countTokens } from '../../src/knowledge/chunking/tokens.ts'
import { readCsv } from '../../src/knowledge/parsing/formats/csv.ts'
import { splitFrontMatter } from '../../src/knowledge/parsing/formats/front-matter.ts'
import { readHtml } from '../../src/knowledge/parsing/formats/html.ts'
import { readJson, readJsonLines } from '../../src/knowledge/parsing/formats/json.ts'
import { detectType } from '../../src/knowledge/parsing/media-type.ts'
import { firstHeading } from '../../src/knowledge/parsing/read.ts'
import { asTitle, cleanText, decodeText } from '../../src/knowledge/parsing/text.ts'
import { splitHeadings } from '../../src/knowledge/split-headings.ts'
import { canonicalJson } from '../../src/lib/canonical-json.ts'
import { parseDuration, parseTime } from '../../src/lib/clock.ts'
import { describeMisplacedCredential, readBearer } from '../../src/lib/credential.ts'
import { fromId } from '../../src/lib/id.ts'
import { parseJson } from '../../src/lib/json.ts'
import { normalize } from '../../src/lib/normalize.ts'
import { readings, withoutAccents } from '../../src/lib/plain-text.ts'
import { findUrlProblem } from '../../src/lib/url-guard.ts'
import { normalizeContent, signatureText } from '../../src/memory/duplicate-text.ts'
import { explicitMemories } from '../../src/memory/explicit.ts'
import { parseExtraction } from '../../src/memory/extract.ts'
import { subjectKey, subjectOf } from '../../src/memory/subject.ts'
import { findFirstMentioned } from '../../src/messaging/assistants/mentions.ts'
import { cleanFilename, contentDisposition } from '../../src/messaging/attachments/filename.ts'
import { avatarSvg } from '../../src/messaging/people/avatar.ts'
import { compileLiteralTest } from '../../src/policy/condition/required-literals.ts'
import { parseCondition } from '../../src/policy/condition/syntax.ts'
import { parseDirective } from '../../src/policy/directives.ts'
import { parsePolicySet } from '../../src/policy/parse.ts'
import { readPolicyTests } from '../../src/policy/policy-test-reader.ts'
import { maskText } from '../../src/policy/redaction.ts'
import { applyTransforms, parseTransform } from '../../src/policy/transforms.ts'
import { Vault } from '../../src/policy/vault.ts'
import { readCompletion } from '../../src/providers/read-completion.ts'
import { matchesPattern } from '../../src/providers/route.ts'
import { termsOf } from '../../src/retrieval/language.ts'
import { parseQuery } from '../../src/retrieval/query.ts'
import { cutText } from '../../src/retrieval/semantic/batches.ts'
import { splitWords } from '../../src/retrieval/words.ts'
import { readYaml } from '../../src/setup/yaml-source.ts'
import { shapes } from './shapes.ts'
import {
  bytes,
  completionWith,
  defaults,
  findingsIn,
  LIMIT,
  options,
  refused,
  type TextFunction,
  vaultOf,
} from './text-function.ts'

function splitScan(text: string): unknown {
  const texts = text.match(/.{1,8}/gs) ?? []
  return scanSplit(
    texts,
    [texts.map((_, index) => index)],
    { ...scan([], options), findings: texts.map(() => []), joined: '' },
    options,
  )
}

export const TEXT_FUNCTIONS: Readonly<Record<string, TextFunction>> = {
  cleanFilename: { most: 1 << 16, run: cleanFilename, shapes: shapes(['.', 'a', ''], ['', '.a', ''], ['', '\u202e', '']) },
  requestIdOf: { run: (text) => requestIdOf({ headers: { 'x-request-id': text } } as never) },
  describeMisplacedCredential: {
    run: (text) => describeMisplacedCredential(`Bearer ${text}`, 'gk_'),
    shapes: shapes(['', 'a.', ''], ['', ' ', 'a']),
  },
  'Vault.conceal': { run: (text) => vaultOf('jane').conceal(text), shapes: shapes(['', 'jane ', ''], ['', 'jan', '']) },
  'Vault.restore': { run: (text) => vaultOf('jane').restore(text), shapes: shapes(['', '<EMAIL_1>', ''], ['', '<EMAIL_', '']) },
  applyTransforms: {
    run: (text) => applyTransforms([{ text, findings: findingsIn(text) }], ['pseudonymize:pii', 'truncate:1000000'], new Vault()),
    most: 1 << 16,
    common: { findings: (length) => 'a@b.co 😀 '.repeat(length / 10) },
  },
  'applyTransforms (redact and mask)': {
    run: (text) => applyTransforms([{ text, findings: findingsIn(text) }], ['redact:pii.email', 'mask:pii'], new Vault()),
    most: 1 << 16,
    common: { findings: (length) => 'a@b.co 😀 '.repeat(length / 10) },
  },
  withInspectedLogprobs: {
    run: (text) => withInspectedLogprobs(completionWith(text), true, false),
    most: 1 << 15,
    common: { tokens: (length) => 'ab '.repeat(length / 3) },
  },
  contentDisposition: { most: 4096, run: (text) => refused(() => contentDisposition(text)) },
  'scan (all detectors)': { run: (text) => scan([text], options) },
  'scan (split over messages of eight characters)': { run: splitScan },
  readings: { run: (text) => readings(text), shapes: shapes(['', 'w\u00ad', ''], ['', 'é\u0301', ''], ['', '𝐚', '']) },
  withoutAccents: { run: withoutAccents, shapes: shapes(['', 'ế', '']) },
  readBearer: { run: (text) => readBearer(`Bearer ${text}`, 'gk_') },
  collectTexts: { run: (text) => collectTexts([{ role: 'user', content: text }]) },
  readable: { run: (text) => readable(text, true) },
  rewritten: {
    run: (text) => rewritten(text, text, true),
    shapes: shapes(['[', '1,', '1]'], ['["', '\\"', '"]'], ['[', '"",', '""]']),
  },
  'rewritten (changed)': { most: 1 << 16, run: (text) => rewritten(JSON.stringify([text]), JSON.stringify([`${text}!`]), true) },
  chunkMarkdown: {
    run: (markdown) => chunkMarkdown({ title: 't', markdown }),
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
    shapes: shapes(['a,b\n', 'a,', ''], ['', 'a,b\n', ''], ['a\n"', '""', '"']),
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
    run: (text) => refused(() => readHtml(text)),
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
  readJsonLines: { run: (text) => refused(() => readJsonLines(text, LIMIT)), shapes: shapes(['', '{"a":1}\n', '']) },
  detectType: {
    run: (text) => refused(() => detectType(bytes(text), 'a', undefined)),
    shapes: shapes(['', '<!-- -->', ''], ['---\ntitle:', '\n ', ''], ['---\n', 'title', '']),
  },
  decodeText: { run: (text) => decodeText(bytes(text)), shapes: shapes(['', '\ufffd', ''], ['', '<meta ', '']) },
  cleanText: { run: cleanText, shapes: shapes(['', ' \t', 'x'], ['', '\t\n', 'x']) },
  asTitle: { run: asTitle },
  firstHeading: {
    run: firstHeading,
    shapes: shapes(['#', ' ', 'x'.repeat(2_000)], ['# a', ' #', 'b'], ['', '# ', ''], ['', '# a\n', '']),
  },
  parseTime: { run: parseTime },
  parseDuration: { run: parseDuration },
  canonicalJson: { run: (text) => canonicalJson({ text }) },
  canonicalText: { run: (text) => refused(() => canonicalText({ text })) },
  parseJson: {
    run: (text) => parseJson(bytes(text), 32),
    shapes: shapes(['', '[', ''], ['[', '1,', '1]'], ['{', '"a":1,', '"b":1}'], ['[', '9', ']'], ['', '{"a":', '']),
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
  normalize: { run: (text) => normalize(text, 'NFKC'), shapes: shapes(['', '\u0301\uff9e', ''], ['a', '\u0316', '\u0301']) },
  splitHeadings: {
    run: (text) => splitHeadings(text, []),
    shapes: shapes(['# ', ' ', 'x'], ['# ', ' ', 'x\n'], ['', '# a\n', 'b'], ['# a', ' #', '\nb'], ['#', '\n', 'x']),
  },
  normalizeContent: { run: normalizeContent, shapes: shapes(['', '- ', ''], ['', '( ', ''], ['', '"', 'a'], ['a', '" ', '']) },
  signatureText: {
    run: signatureText,
    shapes: shapes(['', 'a+', ''], ['', '+', ''], ['a', '.,', ''], ['', 'a.,:', ''], ['a', '#', 'b']),
  },
  subjectOf: { run: (text) => subjectOf(text, 'user'), shapes: shapes(['my ', 'a ', 'is b'], ['my a is ', 'is ', '']) },
  subjectKey: { run: subjectKey },
  findFirstMentioned: {
    run: (text) => findFirstMentioned(text, [{ username: 'a' }, { username: 'aa' }]),
    shapes: shapes(['', 'b@a', ''], ['', '@aa', 'b']),
  },
  parseForm: {
    run: (text) => parseForm(bytes(text)),
    shapes: shapes(['a', '[b]', '=c'], ['a[', 'b', ''], ['a', '[', ''], ['', 'a[b]=c&', ''], ['', 'a[]=c&', ''], ['', 'a=%', '']),
  },
  avatarSvg: { run: avatarSvg },
  readPolicyTests: {
    run: readPolicyTests,
    most: 1 << 16,
    shapes: shapes(
      ['tests:\n', '  - {name: a, at: input, expect: {verdict: allow}}\n', ''],
      ['tests: [', '{', ''],
      ['tests:\n', '  - a\n', ''],
      ['tests:\n', '  - name: a\n', ''],
      ['', 'a: b\n', ''],
      ['', '? ', ''],
      ['', '&a ', ''],
      ['', '!a ', ''],
      ['tests: |\n', ' a\n', ''],
    ),
  },
  parsePolicySet: {
    run: parsePolicySet,
    most: 1 << 16,
    shapes: shapes(
      ['name: a\nrules:\n', '  - {id: a, at: [input], verdict: allow}\n', ''],
      ['name: a\nrules:\n', '  - id: a\n', ''],
      ['name: a\nrules:\n - when: "', '(', '"'],
      ['name: a\nrules:\n - when: "', 'a && ', 'b"'],
      ['name: a\nrules:\n - when: |\n', '     x\n', ''],
      ['name: a\nrules:\n - id: b\n   at: [input]\n   verdict: deny\n   when: content.text.matches("', '(a|', '")\n'],
      ['name: a\ntexts:\n', '  a: b\n', ''],
    ),
  },
  // A condition has at most 4,096 characters (POLICY_LIMITS).
  parseCondition: {
    run: (text) => refused(() => parseCondition(text)),
    most: 1_024,
    shapes: shapes(
      ['', '!', 'a'],
      ['', 'a.', 'a'],
      ['', 'a?b:', 'c'],
      ['', 'a+', 'b'],
      ['', '-', '1'],
      ['"', '\\n', '"'],
      ['', 'a||', 'b'],
      ['a in ', '[1,', ''],
    ),
  },
  compileLiteralTest: {
    run: compileLiteralTest,
    most: 1 << 14,
    shapes: shapes(['', 'a|', 'b'], ['', '(?:a)', ''], ['(?i)', 'a', '']),
  },
  maskText: { run: maskText },
  parseTransform: { run: parseTransform },
  parseDirective: { run: parseDirective },
  'Vault.reserve': {
    run: (text) => new Vault().reserve(text),
    shapes: shapes(['', '<A', ''], ['', '<A_', ''], ['', '&lt;A_1', ''], ['', '<EMAIL_1>', '']),
  },
  matchesPattern: { run: (text) => matchesPattern('a*b*c*d*e', text), shapes: shapes(['', 'ab', ''], ['', 'abcd', '']) },
  'matchesPattern (pattern)': { run: (text) => matchesPattern(text, 'a'.repeat(256)), shapes: shapes(['', '*a', 'b']) },
  findUrlProblem: { run: (text) => findUrlProblem(`https://${text}`, false), most: 1 << 16 },
  readCompletion: {
    run: (text) =>
      readCompletion(
        bytes(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }] })),
        defaults,
      ),
  },
  cutText: { run: cutText },
  parseQuery: { run: (text) => parseQuery(text, ['en', 'de', 'none']) },
  termsOf: { run: (text) => termsOf(text, 'en') },
  splitWords: {
    run: splitWords,
    shapes: shapes(['a', '-', 'b'], ['', 'a-', ''], ['', 'aA', ''], ['', 'AA', 'a'], ['', 'a.b_', ''], ['', "a'", '']),
  },
  'readYaml (gatehouse.yaml)': { run: readYaml, most: 1 << 15 },
  fromId: { run: (text) => fromId('aud', text) },
  replaceTexts: { run: (text) => replaceTexts([{ role: 'user', content: text }], [`${text}!`]) },
  resolveOverlaps: {
    run: (text) =>
      resolveOverlaps(Array.from({ length: text.length }, (_, at) => ({ type: 'pii.email' as const, start: at, end: at + 3 }))),
    most: 1 << 16,
    common: { many: (length) => 'x'.repeat(length) },
  },
}

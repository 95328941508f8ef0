import { parseForm } from '../../src/api/kit/form-decoder.ts'
import { requestIdOf } from '../../src/api/kit/request-id.ts'
import { canonicalText } from '../../src/domains/audit/record/canonical.ts'
import { findFirstMentioned } from '../../src/domains/messaging/assistants/enqueue-turn.ts'
import { cleanFilename, contentDisposition } from '../../src/domains/messaging/attachments/filename.ts'
import { avatarSvg } from '../../src/domains/messaging/people/avatar.ts'
import { readCompletion } from '../../src/domains/providers/read-completion.ts'
import { matchesPattern } from '../../src/domains/providers/route.ts'
import { stubCompletion } from '../../src/domains/providers/stub.ts'
import { canonicalJson } from '../../src/platform/lib/canonical-json.ts'
import { parseDuration, parseTime } from '../../src/platform/lib/clock.ts'
import { describeMisplacedCredential, readBearer } from '../../src/platform/lib/credential.ts'
import { fromId } from '../../src/platform/lib/id.ts'
import { parseJson } from '../../src/platform/lib/json.ts'
import { normalize } from '../../src/platform/lib/normalize.ts'
import { readings, withoutAccents } from '../../src/platform/lib/plain-text.ts'
import { findUrlProblem } from '../../src/platform/lib/url-guard.ts'
import type { Completion } from '../../src/shared/completion.ts'
import { readable, rewritten } from '../../src/shared/json-text.ts'
import { withInspectedLogprobs } from '../../src/shared/logprobs.ts'
import { collectTexts, replaceTexts } from '../../src/shared/message.ts'
import { readYaml } from '../../src/tools/setup/gatehouse-file.ts'
import { bytes, refused, shapes, type TextFunction } from './text-function.ts'

const completionWith = (content: string): Completion => ({
  id: 'c',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content },
      logprobs: { content: (content.match(/.{1,3}/gs) ?? []).map((token) => ({ token, logprob: -1 })) },
    },
  ],
})
const STUB_REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Where?' }], parameters: {} }
const defaults = { model: 'm', newId: () => 'id', created: () => 0 }

export const OTHER_FUNCTIONS: Readonly<Record<string, TextFunction>> = {
  cleanFilename: { most: 1 << 16, run: cleanFilename, shapes: shapes(['.', 'a', ''], ['', '.a', ''], ['', '\u202e', '']) },
  stubCompletion: {
    run: (context) =>
      stubCompletion({ ...STUB_REQUEST, added: { systemTexts: [], context } }, { newId: () => 'chatcmpl_1', created: 0 }),
    most: 1 << 15,
    shapes: shapes(['--- a passage x: t\n', '--- a passage x\n', '--- a end of passage'], ['', '--- a passage x\n', '']),
  },
  requestIdOf: { run: (text) => requestIdOf({ headers: { 'x-request-id': text } } as never) },
  describeMisplacedCredential: {
    run: (text) => describeMisplacedCredential(`Bearer ${text}`, 'gk_'),
    shapes: shapes(['', 'a.', ''], ['', ' ', 'a']),
  },
  withInspectedLogprobs: {
    run: (text) => withInspectedLogprobs(completionWith(text), true, false),
    most: 1 << 15,
    common: { tokens: (length) => 'ab '.repeat(length / 3) },
  },
  contentDisposition: { most: 4096, run: (text) => refused(() => contentDisposition(text)) },
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
  parseTime: { run: parseTime },
  parseDuration: { run: parseDuration },
  canonicalJson: { run: (text) => canonicalJson({ text }) },
  canonicalText: { run: (text) => refused(() => canonicalText({ text })) },
  parseJson: {
    run: (text) => parseJson(bytes(text), 32),
    shapes: shapes(['', '[', ''], ['[', '1,', '1]'], ['{', '"a":1,', '"b":1}'], ['[', '9', ']'], ['', '{"a":', '']),
  },
  normalize: { run: (text) => normalize(text, 'NFKC'), shapes: shapes(['', '\u0301\uff9e', ''], ['a', '\u0316', '\u0301']) },
  findFirstMentioned: {
    run: (text) => findFirstMentioned(text, [{ username: 'a' }, { username: 'aa' }]),
    shapes: shapes(['', 'b@a', ''], ['', '@aa', 'b']),
  },
  parseForm: {
    run: (text) => parseForm(bytes(text)),
    shapes: shapes(['a', '[b]', '=c'], ['a[', 'b', ''], ['a', '[', ''], ['', 'a[b]=c&', ''], ['', 'a[]=c&', ''], ['', 'a=%', '']),
  },
  avatarSvg: { run: avatarSvg },
  matchesPattern: { run: (text) => matchesPattern('a*b*c*d*e', text), shapes: shapes(['', 'ab', ''], ['', 'abcd', '']) },
  'matchesPattern (pattern)': { run: (text) => matchesPattern(text, 'a'.repeat(256)), shapes: shapes(['', '*a', 'b']) },
  findUrlProblem: { run: (text) => findUrlProblem(`https://${text}`, false), most: 1 << 16 },
  readCompletion: {
    run: (text) =>
      readCompletion({ choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }] }, defaults),
  },
  'readYaml (gatehouse.yaml)': { run: readYaml, most: 1 << 15 },
  fromId: { run: (text) => fromId('aud', text) },
  replaceTexts: { run: (text) => replaceTexts([{ role: 'user', content: text }], [`${text}!`]) },
}

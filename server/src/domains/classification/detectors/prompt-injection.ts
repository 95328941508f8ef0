import { classOf } from '../../../platform/lib/invisible-characters.ts'
import type { Finding, FindingType } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { addMatches } from '../text/search.ts'
import { addEastAsian } from './injection/east-asian.ts'
import { foldAt, foldWord, POSSIBLE_END } from './injection/fold.ts'
import { type CompiledPhrase, candidates } from './injection/grammar.ts'
import { findAnchors, TokenLine } from './injection/token-line.ts'

const words = (list: string): string => list.split(' ').map(foldWord).join('|')

/** The main phrases without spaces: `ignoreallpreviousinstructions`, `I G N O R E  A L L …`. */
const GLUED = new RegExp(
  [
    `(?:${words('ignore disregard forget override bypass')})(?:${words('all any every of the your my these those prior previous above preceding earlier system')}){1,6}(?:${words('instruction prompt rule guideline directive order')})s?`,
    `(?:${words('reveal show print repeat output leak')})(?:${words('me us all of the your full entire system hidden initial')}){1,6}(?:${words('prompt instruction')})s?`,
    `(?:${words('doanythingnow')})`,
  ].join('|'),
)

const MAX_LETTERS = 400

function isGlued(text: string, start: number, end: number): boolean {
  let letters = ''
  for (let at = start; at < end && letters.length < MAX_LETTERS; at++) {
    const unit = foldAt(text, at)
    if (unit > POSSIBLE_END) letters += String.fromCharCode(unit)
  }
  return GLUED.test(letters)
}

function addPhrases(text: string, findings: Finding[]): void {
  const { anchors, suspicious, maxTokens } = findAnchors(text)
  let line: TokenLine | undefined
  for (const phrase of candidates(anchors)) {
    line ??= new TokenLine(text, maxTokens)
    addPhrase(phrase, line, findings)
  }
  for (const { start, end } of suspicious)
    if (isGlued(text, start, end)) findings.push({ type: 'injection.override', start, end })
}

function addPhrase(
  { type, expression, guard }: CompiledPhrase,
  { tokens, before, starts, ends }: TokenLine,
  findings: Finding[],
): void {
  expression.lastIndex = 0
  for (let match = expression.exec(tokens); match; match = expression.exec(tokens)) {
    const { 0: found, index } = match
    if (guard) guard.lastIndex = index
    if (!guard || guard.test(before)) findings.push({ type, start: starts[index] ?? 0, end: ends[index + found.length - 1] ?? 0 })
    // Another phrase can begin inside a match that its guard rejects.
    else expression.lastIndex = index + 1
  }
}

/** By type, and by a part of every match: without it the expression is not tried. Every repetition in the expressions has an upper limit. */
const MARKERS: Partial<Record<FindingType, Readonly<Record<string, RegExp>>>> = {
  // Delimiters of chat templates, which do not occur in normal content.
  'injection.override': {
    '<|': /<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|endofprompt|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id|eom_id|start_of_role|end_of_role|channel|message|return)\|>/g,
    'INST]': /\[\/?INST\]/g,
    'SYS>>': /<<\/?SYS>>/g,
    '_of_turn>': /<(?:start|end)_of_turn>/g,
    '###': /(?:^|\n) {0,3}#{2,4} ?(?:system|system (?:prompt|message|instructions?)|human|assistant|instruction) ?:/gi,
    '](#':
      /\[(?:system|assistant|user)\]\(#(?:instructions?|context|message|inner_monologue|error|suggestions|assistant|user)\)/gi,
  },
  // Images whose address contains data: `![x](https://host/?q={conversation})`.
  'injection.exfiltration': {
    '![': /!\[[^\][\n]{0,200}\]\(<?https?:\/\/[^\s()]{1,200}\?[^\s()]{0,400}(?:\{[^\s{}()]{1,80}\}|\[[^\s[\]()]{1,80}\]|<[^\s<>()]{1,80}>|(?:[?&](?:data|history|conversation|chat|prompt|secret|leak|exfil|payload|message|messages|context|memory|memories|creds?|password|token|apikey|api_key|info|content)=)[^\s()&]{24,400})[^\s()]{0,400}\)?/gi,
  },
  // DAN in capitals next to a word that makes it a role.
  'injection.role_play': {
    DAN: /\b(?:[Aa]ct|[Bb]e|[Bb]ecome|[Aa]re|[Aa]s|[Cc]alled|[Nn]amed|[Aa]gent|[Mm]odel|[Nn]ame)(?: \w{1,12}){0,2} "?DAN\b|\bDAN(?: [Mm]ode| can\b| has\b| is\b| does\b| will\b| must\b| never\b|[: ]+\[)/g,
    'D.A.N': /\bD\.A\.N\b/g,
    '🔓': /🔓 ?(?:jailbreak|developer|output|unlocked)/giu,
  },
}
const MARKER_LIST = Object.entries(MARKERS).flatMap(([type, markers]) =>
  Object.entries(markers).map((marker) => [type as FindingType, ...marker] as const),
)

/** The last characters of the hints. They are rare in prose, so one search excludes all markers in most texts. */
const SIGNS = new RegExp(
  `[${classOf(MARKER_LIST.map(([, hint]) => hint.charCodeAt(hint.length - 1)).map((unit) => [unit, unit]))}]`,
)

function addMarkers(text: string, findings: Finding[]): void {
  if (!SIGNS.test(text)) return
  for (const [type, hint, expression] of MARKER_LIST) if (text.includes(hint)) addMatches(findings, type, text, expression)
}

/** Finds the usual wording of fifteen languages, also with look-alike letters, leetspeak, and spaced or joined letters (decision 0004). */
export const promptInjection = detector({ name: 'prompt-injection' }, (text, findings) => {
  addPhrases(text, findings)
  addMarkers(text, findings)
  addEastAsian(text, findings)
})

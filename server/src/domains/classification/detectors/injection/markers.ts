import { classOf } from '../../../../platform/lib/invisible-characters.ts'
import type { Finding, FindingType } from '../../../../shared/finding.ts'
import { eachMatch } from '../../text/matches.ts'

interface Marker {
  readonly type: FindingType
  /** Part of every match: without it the expression is not tried. */
  readonly hint: string
  readonly expression: RegExp
}

const marker = (type: FindingType, hint: string, expression: RegExp): Marker => ({ type, hint, expression })

/** Markers instead of words. Every repetition in the expressions has an upper limit. */
const MARKERS: readonly Marker[] = [
  // Delimiters of chat templates, which do not occur in normal content.
  marker(
    'injection.override',
    '<|',
    /<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|endofprompt|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id|eom_id|start_of_role|end_of_role|channel|message|return)\|>/g,
  ),
  marker('injection.override', 'INST]', /\[\/?INST\]/g),
  marker('injection.override', 'SYS>>', /<<\/?SYS>>/g),
  marker('injection.override', '_of_turn>', /<(?:start|end)_of_turn>/g),
  marker(
    'injection.override',
    '###',
    /(?:^|\n) {0,3}#{2,4} ?(?:system|system (?:prompt|message|instructions?)|human|assistant|instruction) ?:/gi,
  ),
  marker(
    'injection.override',
    '](#',
    /\[(?:system|assistant|user)\]\(#(?:instructions?|context|message|inner_monologue|error|suggestions|assistant|user)\)/gi,
  ),
  // Images whose address contains data: `![x](https://host/?q={conversation})`.
  marker(
    'injection.exfiltration',
    '![',
    /!\[[^\][\n]{0,200}\]\(<?https?:\/\/[^\s()]{1,200}\?[^\s()]{0,400}(?:\{[^\s{}()]{1,80}\}|\[[^\s[\]()]{1,80}\]|<[^\s<>()]{1,80}>|(?:[?&](?:data|history|conversation|chat|prompt|secret|leak|exfil|payload|message|messages|context|memory|memories|creds?|password|token|apikey|api_key|info|content)=)[^\s()&]{24,400})[^\s()]{0,400}\)?/gi,
  ),
  // DAN in capitals next to a word that makes it a role.
  marker(
    'injection.role_play',
    'DAN',
    /\b(?:[Aa]ct|[Bb]e|[Bb]ecome|[Aa]re|[Aa]s|[Cc]alled|[Nn]amed|[Aa]gent|[Mm]odel|[Nn]ame)(?: \w{1,12}){0,2} "?DAN\b|\bDAN(?: [Mm]ode| can\b| has\b| is\b| does\b| will\b| must\b| never\b|[: ]+\[)/g,
  ),
  marker('injection.role_play', 'D.A.N', /\bD\.A\.N\b/g),
  marker('injection.role_play', '🔓', /🔓 ?(?:jailbreak|developer|output|unlocked)/giu),
]

/** Last characters of the hints. They are rare in prose, so one search excludes all markers in most texts. */
const ENDS = MARKERS.map(({ hint }) => hint.charCodeAt(hint.length - 1))
const SIGNS = new RegExp(`[${classOf(ENDS.map((unit) => [unit, unit]))}]`)

export function addMarkers(text: string, findings: Finding[]): void {
  if (!SIGNS.test(text)) return
  for (const { type, hint, expression } of MARKERS) {
    if (!text.includes(hint)) continue
    eachMatch(text, expression, ({ 0: match, index }) => findings.push({ type, start: index, end: index + match.length }))
  }
}

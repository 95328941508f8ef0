import type { Finding } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { CharacterSet, DIGITS, eachMatch, eachRun, LOWER, UPPER } from '../text/search.ts'
import { hasVariety, isPlaceholder } from '../text/secret-value.ts'

/** `rest`: the source of an expression for what follows one of the prefixes. */
const keys = (prefixes: string, rest: string) => prefixes.split(' ').map((prefix) => ({ prefix, rest }))

const ALNUM = (min: number, max = 255): string => `[A-Za-z0-9]{${min},${max}}`
const URL_SAFE = (min: number, max = 255): string => String.raw`[\w-]{${min},${max}}`
const HEX = (min: number, max = min): string => `[a-f0-9]{${min},${max}}`

/** Prefixes as documented by the providers for secret scanning. Publishable keys (`pk_live_…`) and account names are not secrets. */
const KEY_FORMATS = [
  // Gatehouse: API keys, admin tokens, user tokens.
  keys('gk_ ga_ gu_', URL_SAFE(32)),
  // Model providers.
  keys('sk-proj- sk-svcacct- sk-admin- sk-None- sk-service- sk-ant- sk-or-v1- sk-lf-', URL_SAFE(20)),
  keys('sk-', String.raw`(?=[A-Za-z]*\d)[A-Za-z0-9]{20,200}`),
  keys('AIza', URL_SAFE(35, 35)),
  keys('AQ. tgp_v1_ pcsk_', URL_SAFE(40)),
  keys('hf_ api_org_', ALNUM(30, 64)),
  keys('gsk_ pplx-', ALNUM(40)),
  keys('xai-', ALNUM(60)),
  keys('r8_', ALNUM(37, 40)),
  keys('fw_', ALNUM(22, 40)),
  keys('nvapi-', URL_SAFE(60)),
  keys('lsv2_', '(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  keys('ABSKQmVkcm9ja', '[A-Za-z0-9+/]{90,140}'),
  // Clouds and hosting.
  keys('AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}'),
  keys('GOCSPX-', URL_SAFE(28, 28)),
  keys('ya29.', URL_SAFE(40, 1_024)),
  keys('1//0', URL_SAFE(40)),
  keys('LTAI', ALNUM(16, 24)),
  keys('AKID', ALNUM(32, 36)),
  keys('dop_v1_ doo_v1_ dor_v1_', HEX(64)),
  keys('HRKU-', URL_SAFE(36)),
  keys('nfp_', ALNUM(36)),
  keys('dapi', HEX(32)),
  keys('pscale_', String.raw`(?:tkn|pw|oauth)_[\w.=-]{32,64}`),
  keys('sbp_ sb_secret_ hvs.', URL_SAFE(24)),
  keys('fo1_', URL_SAFE(43)),
  keys('hvb.', URL_SAFE(100)),
  keys('dp.', String.raw`(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,80}`),
  keys('pul-', HEX(40)),
  // Code and packages.
  keys('ghp_ gho_ ghu_ ghs_ ghr_ npm_', ALNUM(36)),
  keys('github_pat_', String.raw`\w{50,255}`),
  keys(
    'glpat- gldt- glrt- glft- glsoat- glimt- glffct- glagent- gloas- glcbt- glptt-',
    String.raw`[\w-]{20,300}(?:\.[0-9a-z]{2,16}){0,2}`,
  ),
  keys('pypi-', URL_SAFE(50, 1_000)),
  keys('rubygems_', HEX(48)),
  keys('cio', ALNUM(32, 32)),
  keys('dckr_pat_', URL_SAFE(27)),
  keys('ATATT3 ATCTT3', URL_SAFE(100)),
  keys('ATBB', ALNUM(32)),
  keys('sqp_ squ_', HEX(40)),
  keys('AKCp', ALNUM(69)),
  keys('PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'),
  keys('oy2', '[a-z0-9]{43}'),
  // Messaging and mail.
  keys('xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xoxo- xoxc- xoxd- xapp-', String.raw`(?=[\w.-]*\d)[\w.%-]{16,255}`),
  keys('SG.', String.raw`[\w-]{16,32}\.[\w-]{16,64}`),
  keys('xkeysib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  keys('key- SK', HEX(32)),
  // Payment and shops.
  keys('sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_', ALNUM(10)),
  keys('whsec_', '[A-Za-z0-9+/]{24,80}'),
  keys('shpat_ shpca_ shppa_ shpss_', '[A-Fa-f0-9]{32}'),
  keys('sq0atp- sq0csp-', URL_SAFE(22)),
  keys('EAAA', URL_SAFE(56, 64)),
  keys('FLWSECK', '(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?'),
  keys('rzp_live_ rzp_test_', ALNUM(14)),
  keys('EZAK EZTK', ALNUM(54)),
  keys('shippo_', '(?:live|test)_[A-Fa-f0-9]{40}'),
  keys('access-', '(?:sandbox|development|production)-[a-f0-9-]{36}'),
  // Project management and monitoring.
  keys('lin_api_', ALNUM(32)),
  keys('ntn_ phx_', ALNUM(40)),
  keys('secret_', ALNUM(43, 43)),
  keys('figd_ CFPAT- tfp_', URL_SAFE(40)),
  keys('pat-', String.raw`(?:na|eu)\d-[a-f0-9-]{36}`),
  keys('glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'),
  keys('glc_', '[A-Za-z0-9+/]{32,400}'),
  keys('NRAK-', '[A-Z0-9]{27}'),
  keys('sntrys_', String.raw`[\w+/-]{40,250}`),
  keys('sntryu_', HEX(64)),
  keys('dt0c01.', String.raw`[A-Z0-9]{24}\.[A-Z0-9]{64}`),
  keys('ops_eyJ', URL_SAFE(100, 2_000)),
  keys('AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  keys('sl.', URL_SAFE(100, 1_500)),
].flat()

const MIN_LENGTH = 18
/** Characters of keys. `/`, `+` and `=` end a run, so that a key in a URL starts a new run. */
const RUN = new CharacterSet(`${LOWER}${UPPER}${DIGITS}_-.~`)
const STARTS = new CharacterSet(`${LOWER}${UPPER}${DIGITS}`)

/** Keys without a prefix that have a known middle part: Azure AD, Terraform Cloud, Mailchimp, Airtable, Discord. */
const INNER =
  /(?:[\w~.]{3}\dQ~[\w~.-]{31,34}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}|[a-f0-9]{32}-us\d{1,2}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/y

const WEBHOOK =
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+]{20,80}|discord(?:app)?\.com\/api\/webhooks\/\d{5,30}\/[\w-]{40,100}|[\w.-]{1,80}\.webhook\.office\.com\/webhookb2\/[\w@/-]{40,250})/g
/** Telegram: the bot's number, a colon, and 35 characters that begin with AA. */
const TELEGRAM = /(?<!\w)\d{8,10}:AA[\w-]{33}(?![\w-])/g

const escapeLiteral = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
const firstTwo = (text: string, at: number): number => (text.charCodeAt(at) << 7) | text.charCodeAt(at + 1)

const PREFIXES = Map.groupBy(KEY_FORMATS, ({ prefix }) => firstTwo(prefix, 0))
/** One expression for all formats with the same first two characters. Other runs cost one lookup. */
const BY_FIRST_TWO = new Map<number, RegExp>()
for (const [start, formats] of PREFIXES) {
  const source = formats.map(({ prefix, rest }) => `${escapeLiteral(prefix)}${rest}`).join('|')
  BY_FIRST_TWO.set(start, new RegExp(String.raw`(?:${source})(?![\w-])`, 'y'))
}

const isReal = (key: string): boolean => !isPlaceholder(key) && hasVariety(key)

function keyAt(text: string, at: number): string | undefined {
  for (const expression of [BY_FIRST_TWO.get(firstTwo(text, at)), INNER]) {
    if (!expression) continue
    expression.lastIndex = at
    const key = expression.exec(text)?.[0]
    if (key !== undefined && isReal(key)) return key
  }
  return undefined
}

const MAX_LINES = 8
/** A line end in the middle of a word, with spaces, quotation marks of e-mail, or a backslash of a shell. */
const LINE_END = /[ \t]{0,4}\\?\r?\n[ \t>|#*]{0,8}(?=[A-Za-z0-9_~-])/y
/** Characters of the longest prefix, and enough for most beginnings of keys. */
const MAX_FIRST = 200

const startsKey = (word: string): boolean =>
  PREFIXES.get(firstTwo(word, 0))?.some(({ prefix }) => word.startsWith(prefix)) ?? false

function runEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && RUN.has(text.charCodeAt(end))) end++
  return end
}

/** A word that continues on the next lines: its letters, and where each of its parts begins. */
function wordOverLines(text: string, start: number, firstEnd: number) {
  let word = text.slice(start, firstEnd)
  const parts: [at: number, from: number][] = [[0, start]]
  for (let end = firstEnd; parts.length < MAX_LINES; ) {
    LINE_END.lastIndex = end
    if (!LINE_END.test(text)) break
    const from = LINE_END.lastIndex
    end = runEnd(text, from)
    const part = text.slice(from, end)
    if (startsKey(part)) break
    parts.push([word.length, from])
    word += part
  }
  return { word, parts }
}

function addBroken(findings: Finding[], text: string): void {
  for (let line = text.indexOf('\n'); line >= 0; line = text.indexOf('\n', line + 1)) {
    let end = line
    while (end > 0 && line - end < 6 && !RUN.has(text.charCodeAt(end - 1))) end--
    let start = end
    while (start > 0 && end - start < MAX_FIRST && RUN.has(text.charCodeAt(start - 1))) start--
    while (start < end && !STARTS.has(text.charCodeAt(start))) start++
    const first = text.slice(start, end)
    if (end - start < 2 || !startsKey(first)) continue
    const { word, parts } = wordOverLines(text, start, end)
    const key = parts.length > 1 && word.length >= MIN_LENGTH ? keyAt(word, 0) : undefined
    if (key === undefined || key.length <= first.length) continue
    const [at, from] = parts.findLast(([at]) => at < key.length) ?? [0, start]
    findings.push({ type: 'secret.api_key', start, end: from + key.length - at })
  }
}

/** The first line of a key over several lines. */
const PREFIX = KEY_FORMATS.map(({ prefix }) => escapeLiteral(prefix)).join('|')
const MARK = new RegExp(
  String.raw`(?:(?<![\w.~-])[_.~-]{0,8}(?:${PREFIX})[\w.~-]{0,200}|[\w.~-]{200})[ \t]{0,4}\\?\r?(?:\n|$)`,
  'g',
)

export const apiKey = detector(
  { name: 'api-key', type: 'secret.api_key', byForm: true, reach: 32, marks: [{ pattern: MARK, reach: 440 }] },
  (text, findings) => {
    const add = (start: number, length: number) => findings.push({ type: 'secret.api_key', start, end: start + length })
    eachRun(text, MIN_LENGTH, RUN, (start, end) => {
      let at = start
      while (at < end && !STARTS.has(text.charCodeAt(at))) at++
      const key = end - at >= MIN_LENGTH ? keyAt(text, at) : undefined
      if (key !== undefined) add(at, key.length)
    })
    addBroken(findings, text)
    if (text.includes('://')) eachMatch(text, WEBHOOK, ({ 0: match, index }) => add(index, match.length))
    if (text.includes(':AA')) eachMatch(text, TELEGRAM, ({ 0: match, index }) => add(index, match.length))
  },
)

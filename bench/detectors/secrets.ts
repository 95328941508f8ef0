import { type FindingType, groupOf } from '../../server/src/shared/finding.ts'
import { Random } from '../../server/test/support/classification/random.ts'
import {
  makeApiKeys,
  makeConnectionStrings,
  makeDecoys,
  makePrivateKeys,
  makeTokens,
} from '../../server/test/support/classification/secret-texts.ts'
import { type Data, find, harmlessTexts } from './data.ts'
import { kindRow, newScore, type Score, scoreRow } from './score.ts'

const ROUNDS = 25
const MAKERS: readonly { readonly type: FindingType; readonly make: (random: Random) => Readonly<Record<string, string>> }[] = [
  { type: 'secret.api_key', make: makeApiKeys },
  { type: 'secret.token', make: makeTokens },
  { type: 'secret.connection_string', make: makeConnectionStrings },
  { type: 'secret.private_key', make: makePrivateKeys },
]

/**
 * Inserts generated secrets, in the formats of their providers, and decoys into the presidio texts. The harmless texts are the presidio
 * texts, e-mails and PIGuard's harmless prompts. There is no public collection of secrets.
 */
export function benchSecrets(data: Data): string[][] {
  const random = new Random(2)
  const insert = (secret: string): string => {
    const text = random.pick(data.presidio).full_text
    const at = text.indexOf(' ', random.number(text.length))
    return at < 0 ? `${text}\n${secret}\n` : `${text.slice(0, at)}\n${secret}\n${text.slice(at)}`
  }
  const rows = MAKERS.map(({ type, make }) => {
    const score = newScore()
    for (let round = 0; round < ROUNDS; round++)
      for (const secret of Object.values(make(random))) rate(score, type, insert(secret))
    return scoreRow(`\`${type}\``, score)
  })
  const decoys = Array.from({ length: ROUNDS }, () => Object.values(makeDecoys(random)).map(insert)).flat()
  rows.push(
    scoreRow('decoys (hashes, ids, templates, code)', alarms(decoys)),
    scoreRow('harmless texts', alarms(harmlessTexts(data))),
  )
  return [kindRow('secrets (made up, one in each text)'), ...rows]
}

function rate(score: Score, type: FindingType, text: string): void {
  const secrets = find(text).filter((finding) => groupOf(finding.type) === 'secret')
  score[secrets.some((finding) => finding.type === type) ? 'found' : 'missed'] += 1
  score.wrong += secrets.filter((finding) => finding.type !== type).length
}

function alarms(texts: readonly string[]): Score {
  const score = newScore()
  for (const text of texts) {
    score.clean += 1
    const secrets = find(text).filter(({ type }) => groupOf(type) === 'secret')
    if (secrets.length > 0) score.alarmed += 1
    score.wrong += secrets.length
  }
  return score
}

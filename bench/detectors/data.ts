import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DETECTORS } from '../../server/src/domains/classification/detectors.ts'
import { scan } from '../../server/src/domains/classification/scan.ts'
import type { Finding } from '../../server/src/shared/finding.ts'

/** Scans a text with all detectors. Throws if a detector fails. */
export function find(text: string): readonly Finding[] {
  const { findings, failures } = scan([text], { detectors: DETECTORS, budgetMs: Number.POSITIVE_INFINITY })
  if (failures.length > 0) throw new Error(`detectors failed: ${failures.join(', ')}`)
  return findings[0] ?? []
}

/** A text of presidio-research with the spans that its generator filled in. */
export interface PresidioText {
  readonly full_text: string
  readonly spans: readonly { readonly entity_type: string; readonly start_position: number; readonly end_position: number }[]
}

export interface Prompt {
  readonly prompt: string
  readonly label: 0 | 1
  readonly source: string
}

/** Attack family → attacks. */
export type Attacks = Readonly<Record<string, readonly string[]>>

/** The development data; its folder has a README. */
export interface Data {
  readonly presidio: readonly PresidioText[]
  readonly prompts: readonly Prompt[]
  readonly textAttacks: Attacks
  readonly codeAttacks: Attacks
  readonly emails: readonly string[]
}

/** Returns undefined if the folder does not exist. */
export function loadData(folder: string): Data | undefined {
  if (!existsSync(folder)) return undefined
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  return {
    presidio: JSON.parse(read('presidio_generated_large.json')),
    prompts: JSON.parse(read('piguard_valid.json')),
    textAttacks: JSON.parse(read('bipia_text_attack_train.json')),
    codeAttacks: JSON.parse(read('bipia_code_attack_train.json')),
    emails: read('bipia_email_train.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).context),
  }
}

/** Texts without secrets and hidden text. */
export const harmlessTexts = ({ presidio, emails, prompts }: Data): string[] => [
  ...presidio.map(({ full_text }) => full_text),
  ...emails,
  ...prompts.filter(({ label }) => label === 0).map(({ prompt }) => prompt),
]

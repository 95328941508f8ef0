import type { Detector } from './detector.ts'
import { hiddenText } from './detectors/hidden-text.ts'
import { PERSONAL_DATA } from './detectors/personal-data.ts'
import { promptInjection } from './detectors/prompt-injection.ts'
import { SECRETS } from './detectors/secrets.ts'

/** The detectors that scan all texts. */
export const DETECTORS: readonly Detector[] = [...PERSONAL_DATA, ...SECRETS, promptInjection, hiddenText]

import type { Detector } from './detector.ts'
import { PERSONAL_DATA } from './detectors/personal-data.ts'

/** Every detector that a message passes. */
export const DETECTORS: readonly Detector[] = [...PERSONAL_DATA]

import type { Detector } from '../detector.ts'
import { apiKey } from './api-key.ts'
import { assignment } from './assignment.ts'
import { connectionString } from './connection-string.ts'
import { privateKey } from './private-key.ts'
import { token } from './token.ts'

export const SECRETS: readonly Detector[] = [privateKey, connectionString, apiKey, token, assignment]

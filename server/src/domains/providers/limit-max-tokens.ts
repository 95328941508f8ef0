import { hasCertainLimit, mapOutputLimits } from '../../shared/output-limits.ts'

type Parameters = Readonly<Record<string, unknown>>

/** Applies the directive `max_tokens`: no limit in the request stays higher. Adds `max_tokens` unless the request has a limit that every server reads. */
export function limitMaxTokens(parameters: Parameters, maxTokens: number | undefined): Parameters {
  if (maxTokens === undefined) return parameters
  const limited = mapOutputLimits(parameters, ({ of, count }, value) =>
    of === 'completions' || (count !== undefined && count <= maxTokens) ? value : maxTokens,
  )
  return hasCertainLimit(parameters) ? limited : { ...limited, max_tokens: maxTokens }
}

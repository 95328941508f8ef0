import { Badge } from '@mantine/core'
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleMinus,
  IconEraser,
  IconFlag,
  IconHandStop,
  IconPlugConnectedX,
} from '@tabler/icons-react'
import i18next from 'i18next'
import { type EndedRequest, outcomeOf, type RequestOutcome } from '../../../server/src/shared/request-outcome.ts'
import { errorLabel } from './health-badge.tsx'

export type { RequestOutcome }
export { outcomeOf }

const LOOKS = {
  allowed: { color: 'green', Icon: IconCircleCheck },
  redacted: { color: 'teal', Icon: IconEraser },
  escalated: { color: 'grape', Icon: IconFlag },
  held: { color: 'yellow', Icon: IconHandStop },
  denied: { color: 'red', Icon: IconBan },
  refused: { color: 'orange', Icon: IconCircleMinus },
  failed: { color: 'red', Icon: IconAlertTriangle },
  canceled: { color: 'gray', Icon: IconPlugConnectedX },
} as const

/** Of a series of a chart, where denied requests and failed ones have no icon. */
export const chartColorOf = (outcome: RequestOutcome): string => (outcome === 'failed' ? 'pink' : LOOKS[outcome].color)

/** How a request ended: "Failed 502". Nothing for a request without a decision, such as a list of models. */
export function Outcome({ of }: { readonly of: EndedRequest }) {
  const outcome = outcomeOf(of)
  return outcome && <OutcomeBadge outcome={outcome} status={of.status} />
}

interface OutcomeBadgeProps {
  readonly outcome: RequestOutcome
  /** Shown if the request was refused or failed for another reason than a policy. */
  readonly status?: number
}

export function OutcomeBadge({ outcome, status }: OutcomeBadgeProps) {
  const { color, Icon } = LOOKS[outcome]
  const withStatus = status !== undefined && (outcome === 'refused' || outcome === 'failed')
  return (
    <Badge color={color} leftSection={<Icon size={12} aria-hidden />}>
      {withStatus ? `${outcomeLabel(outcome)} ${status}` : outcomeLabel(outcome)}
    </Badge>
  )
}

export const outcomeLabel = (outcome: RequestOutcome): string => i18next.t(`ui:outcomes.${outcome}`)

interface Failed {
  readonly error_code: string | null
  readonly attempts: readonly { readonly outcome: string }[]
}

/** Why a request got an error, in a few words: "key rejected". */
export function reasonOf({ error_code: code, attempts }: Failed): string | undefined {
  if (code === null) return undefined
  const failure = code.startsWith('PROVIDER_') ? attempts.at(-1)?.outcome : undefined
  if (failure !== undefined) return errorLabel(failure).toLowerCase()
  return i18next.t(`ui:reasons.${code}` as 'ui:reasons.RATE_LIMITED', { defaultValue: code })
}

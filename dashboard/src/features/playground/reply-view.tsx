import { Badge, Group, Loader, Stack, Text, UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatCount, formatMs } from '../../ui/format-numbers.ts'
import { Level } from '../../ui/level.tsx'
import { Outcome } from '../../ui/outcome.tsx'
import type { Reply, Step, Turn } from './chat.ts'
import type { ChatActions } from './chat-actions.ts'
import { HeldStep } from './held-step.tsx'
import { Markdown } from './markdown.tsx'
import { DEFAULT_MODEL } from './playground-filters.ts'
import { StepErrorAlert } from './step-error.tsx'
import { ToolCalls } from './tool-calls.tsx'

interface ReplyViewProps {
  readonly turn: Turn
  readonly reply: Reply
  readonly actions: ChatActions
  readonly shownStep: string | undefined
  readonly onShowTrace: (stepId: string) => void
  readonly onSent: (stepId: string) => void
}

/** The steps of a model's reply: completions, tool calls, refusals. */
export function ReplyView({ turn, reply, actions, shownStep, onShowTrace, onSent }: ReplyViewProps) {
  const { t } = useTranslation('playground')
  const { model, steps } = reply
  const last = steps.at(-1)
  return (
    <Stack gap="sm" component="article" aria-label={t('reply.label', { model: nameOf(model, t('models.default')) })}>
      {turn.replies.length > 1 && (
        <Text size="sm" fw={600} c="dimmed">
          {nameOf(model, t('models.default'))}
        </Text>
      )}
      {steps.map((step) => (
        <StepView key={step.id} step={step} isDryRun={turn.isDryRun} isShown={step.id === shownStep} onShowTrace={onShowTrace}>
          {step.toolCalls.length > 0 && step.state === 'done' && (
            <ToolCalls
              calls={step.toolCalls}
              answered={step !== last}
              onSend={(results) => onSent(actions.sendToolResults(turn, reply, results))}
            />
          )}
          {step.held && step === last && (
            <HeldStep
              reviewItemId={step.error?.reviewItemId ?? ''}
              onApproved={() => {
                const released = actions.release(turn, reply, step)
                if (released !== undefined) onSent(released)
              }}
            />
          )}
        </StepView>
      ))}
    </Stack>
  )
}

const nameOf = (model: string, defaultName: string): string => (model === DEFAULT_MODEL ? defaultName : model)

interface StepViewProps {
  readonly step: Step
  readonly isDryRun: boolean
  /** Its trace is shown. */
  readonly isShown: boolean
  readonly onShowTrace: (stepId: string) => void
  readonly children: React.ReactNode
}

function StepView({ step, isDryRun, isShown, onShowTrace, children }: StepViewProps) {
  const { t } = useTranslation('playground')
  const { id, state, content, error, auditId } = step
  return (
    <Stack gap="xs">
      {state === 'pending' && (isDryRun || content === '') && <Loader size="sm" type="dots" aria-label={t('reply.waiting')} />}
      {isDryRun && state === 'done' && (
        <Text size="sm" c="dimmed">
          {t('reply.dryRun')}
        </Text>
      )}
      {!isDryRun && content !== '' && <Markdown text={content} />}
      {state === 'stopped' && (
        <Text size="sm" c="dimmed">
          {t('reply.stopped')}
        </Text>
      )}
      {state === 'done' && <StepSummary step={step} isDryRun={isDryRun} />}
      {error && <StepErrorAlert error={error} />}
      {children}
      {auditId !== null && !isShown && state !== 'pending' && (
        <UnstyledButton onClick={() => onShowTrace(id)} w="fit-content">
          <Text size="sm" td="underline">
            {t('reply.showTrace')}
          </Text>
        </UnstyledButton>
      )}
    </Stack>
  )
}

/** A held request has an answer only after its approval. */
const RELEASED = { review: { state: 'released' } }

function StepSummary({
  step: { governance = {}, tokens, firstTextMs, ms },
  isDryRun,
}: {
  readonly step: Step
  readonly isDryRun: boolean
}) {
  const { t } = useTranslation('playground')
  const { decision, risk_level, provider, user_verified } = governance
  const facts = [
    t(user_verified ? 'reply.verified' : 'reply.notVerified'),
    ...(isDryRun
      ? []
      : [
          provider,
          tokens !== undefined && t('reply.tokens', { count: tokens, formatted: formatCount(tokens) }),
          firstTextMs !== undefined && t('reply.firstText', { time: formatMs(firstTextMs) }),
          ms !== undefined && t('reply.total', { time: formatMs(ms) }),
        ]),
  ]
  return (
    <Group gap="xs">
      <Outcome of={{ status: 200, decision, ...(!isDryRun && RELEASED) }} />
      <Level level={risk_level ?? null} prefix={t('reply.risk')} />
      {isDryRun && <Badge>{t('reply.dryRunBadge')}</Badge>}
      {decision?.transforms.map((transform) => (
        <Badge key={transform} variant="outline">
          {transform}
        </Badge>
      ))}
      <Text size="xs" c="dimmed">
        {facts.filter(Boolean).join(' · ')}
      </Text>
    </Group>
  )
}

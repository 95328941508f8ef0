import { Alert, Badge, Group, Loader, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { ApiError } from '../../api/api-error.ts'
import { describeError } from '../../ui/describe-error.ts'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import type { Answer } from './ask.ts'
import type { Turn } from './conversations.ts'

interface TurnCardProps {
  readonly turn: Turn
  /** Its stages are shown. */
  readonly chosen: boolean
  readonly onChoose: () => void
}

/** A question, its answer or refusal, and the verdict on it. */
export function TurnCard({ turn: { question, content, pending, isDryRun, answer, error }, chosen, onChoose }: TurnCardProps) {
  return (
    <Paper withBorder p="md" {...(chosen && { bd: '1px solid var(--mantine-primary-color-filled)' })}>
      <Stack gap="sm">
        <Text fw={600} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {question}
        </Text>
        {pending && (isDryRun || content === '') && <Loader size="sm" type="dots" aria-label="The answer is on its way" />}
        {isDryRun && answer && (
          <Text size="sm" c="dimmed">
            Dry run: no model was called, so there is no answer.
          </Text>
        )}
        {!isDryRun && content !== '' && <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{content}</Text>}
        {answer && <AnswerFacts answer={answer} />}
        {error !== undefined && <Refusal error={error} />}
        {!(pending || chosen) && (
          <UnstyledButton onClick={onChoose} w="fit-content">
            <Text size="sm" td="underline">
              Show trace
            </Text>
          </UnstyledButton>
        )}
      </Stack>
    </Paper>
  )
}

function AnswerFacts({ answer: { governance = {}, tokens } }: { readonly answer: Answer }) {
  const { decision, risk_level, dry_run, provider, user_verified } = governance
  return (
    <Group gap="xs">
      <Verdict verdict={decision?.verdict} />
      <Level level={risk_level ?? null} of="risk" />
      {dry_run && (
        <Badge variant="light" tt="none">
          dry run
        </Badge>
      )}
      {decision?.transforms.map((transform) => (
        <Badge key={transform} variant="outline" tt="none">
          {transform}
        </Badge>
      ))}
      <Text size="xs" c="dimmed">
        {[
          user_verified ? 'user verified' : 'user not verified',
          !dry_run && provider,
          !dry_run && tokens !== undefined && `${tokens} tokens`,
        ]
          .filter(Boolean)
          .join(', ')}
      </Text>
    </Group>
  )
}

/** How a refusal is called where it has a verdict. */
const REFUSED: Readonly<Record<string, string>> = {
  POLICY_DENIED: 'deny',
  POLICY_REVIEW_PENDING: 'require_approval',
  POLICY_REVIEW_DENIED: 'deny',
}

function Refusal({ error }: { readonly error: unknown }) {
  const { message, requestId } = describeError(error)
  const { code, status, reviewItemId } = error instanceof ApiError ? error : {}
  const verdict = code === undefined ? undefined : REFUSED[code]
  return (
    <Alert role="alert" color={verdict === 'require_approval' ? 'yellow' : 'red'} variant="light">
      <Stack gap="xs">
        <Group gap="xs">
          <Verdict verdict={verdict} />
          {code && (
            <Text size="sm" fw={600}>
              {status} {code}
            </Text>
          )}
        </Group>
        <Text size="sm">{message}</Text>
        {reviewItemId && (
          <Text size="sm">
            <Link to={`/reviews/${reviewItemId}`} c="inherit" underline="always">
              Pending review
            </Link>
            : another operator has to decide, because the request is yours.
          </Text>
        )}
        {!verdict && requestId && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

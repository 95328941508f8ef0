import { Alert, Badge, Group, Loader, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { ApiError } from '../../api/api-error.ts'
import { describeError } from '../../ui/describe-error.ts'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import type { Turn } from './chat-store.ts'
import type { ChatResult } from './send-chat.ts'

interface TurnCardProps {
  readonly turn: Turn
  /** Whether its trace is shown. */
  readonly selected: boolean
  readonly onChoose: () => void
}

/** A message with completion or error, and its verdict. */
export function TurnCard({ turn: { prompt, content, pending, isDryRun, result, error }, selected, onChoose }: TurnCardProps) {
  return (
    <Paper withBorder p="md" {...(selected && { bd: '1px solid var(--mantine-primary-color-filled)' })}>
      <Stack gap="sm">
        <Text fw={600} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {prompt}
        </Text>
        {pending && (isDryRun || content === '') && <Loader size="sm" type="dots" aria-label="Waiting for the response" />}
        {isDryRun && result && (
          <Text size="sm" c="dimmed">
            Dry run: no model was called, so there is no completion.
          </Text>
        )}
        {!isDryRun && content !== '' && <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{content}</Text>}
        {result && <ResultDetails result={result} />}
        {error !== undefined && <ErrorDetails error={error} />}
        {!(pending || selected) && (
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

function ResultDetails({ result: { governance = {}, tokens } }: { readonly result: ChatResult }) {
  const { decision, risk_level, dry_run, provider, user_verified } = governance
  return (
    <Group gap="xs">
      <Verdict verdict={decision?.verdict} />
      <Level level={risk_level ?? null} prefix="Risk" />
      {dry_run && <Badge>Dry run</Badge>}
      {decision?.transforms.map((transform) => (
        <Badge key={transform} variant="outline">
          {transform}
        </Badge>
      ))}
      <Text size="xs" c="dimmed">
        {[
          user_verified ? 'User verified' : 'User not verified',
          !dry_run && provider,
          !dry_run && tokens !== undefined && `${tokens} tokens`,
        ]
          .filter(Boolean)
          .join(', ')}
      </Text>
    </Group>
  )
}

/** Verdicts of error codes. */
const VERDICTS: Readonly<Record<string, string>> = {
  POLICY_DENIED: 'deny',
  POLICY_REVIEW_PENDING: 'require_approval',
  POLICY_REVIEW_DENIED: 'deny',
}

function ErrorDetails({ error }: { readonly error: unknown }) {
  const { message, requestId } = describeError(error)
  const { code, status, reviewItemId } = error instanceof ApiError ? error : {}
  const verdict = code === undefined ? undefined : VERDICTS[code]
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
            : another operator must decide, because it is your request.
          </Text>
        )}
        {!verdict && requestId && (
          <Text size="xs" c="dimmed">
            Request ID {requestId}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

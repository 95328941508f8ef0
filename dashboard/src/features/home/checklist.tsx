import { Button, Group, Paper, Progress, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconCircle } from '@tabler/icons-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import type { Setup } from '../../api/schema.d.ts'
import { useScopes, useSession } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'
import { notifyError } from '../../ui/notify.ts'

type Step = Setup['steps'][number]

const POLL_MS = 5_000

/** `create` opens the form of the page. */
const PAGES: Readonly<Record<Step['id'], { readonly to: string; readonly hash?: string }>> = {
  provider: { to: '/providers', hash: 'create' },
  application: { to: '/applications', hash: 'create' },
  request: { to: '/applications' },
  knowledge: { to: '/knowledge', hash: 'create' },
  policy: { to: '/policies' },
  reviewer: { to: '/settings/operators' },
}

/** The first steps in a Workspace. It updates itself, and disappears when all are done or the operator dismisses it. */
export function Checklist() {
  const enabled = useScopes().hasScope('applications:read')
  const { data } = useRead('/admin/v1/setup', {}, { enabled, refetchInterval: POLL_MS })
  if (!data || data.dismissed || data.steps.every(({ done }) => done)) return null
  return <Steps steps={data.steps} />
}

/** One line, and all steps until the Workspace has its first request. */
function Steps({ steps }: Pick<Setup, 'steps'>) {
  const { t } = useTranslation('home')
  const id = useId()
  const hasRequests = steps.some((step) => step.id === 'request' && step.done)
  const [opened, { toggle }] = useDisclosure(!hasRequests)
  const done = steps.filter((step) => step.done).length
  const next = steps.find((step) => !step.done)
  const title = t('checklist.title')
  return (
    <Paper component="section" withBorder px="md" py={6} aria-label={title}>
      <Group gap="sm" mih={30}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Progress value={(done / steps.length) * 100} w={90} aria-label={title} />
        <Text size="sm" c="dimmed">
          {t('checklist.progress', { done, count: steps.length })}
        </Text>
        {!opened && next && (
          <Link {...PAGES[next.id]} size="sm">
            {t('checklist.next', { step: t(`checklist.steps.${next.id}.title`) })}
          </Link>
        )}
        <Group gap={4} ml="auto">
          <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={opened} aria-controls={id}>
            {opened ? t('checklist.hide') : t('checklist.show')}
          </Button>
          <DismissButton />
        </Group>
      </Group>
      {opened && (
        <Stack id={id} component="ol" gap={4} m={0} mt={4} mb={4} p={0} style={{ listStyle: 'none' }}>
          {steps.map((step) => (
            <StepRow key={step.id} step={step} />
          ))}
        </Stack>
      )}
    </Paper>
  )
}

function StepRow({ step: { id, done } }: { readonly step: Step }) {
  const { t } = useTranslation('home')
  const title = t(`checklist.steps.${id}.title`)
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
      <ThemeIcon radius="xl" size="xs" mt={3} color={done ? 'green' : 'gray'} variant={done ? 'filled' : 'light'} aria-hidden>
        {done ? <IconCheck size={12} /> : <IconCircle size={12} />}
      </ThemeIcon>
      <VisuallyHidden>{done ? t('checklist.done') : t('checklist.open')}</VisuallyHidden>
      {done ? (
        <Text size="sm" c="dimmed" td="line-through">
          {title}
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          <Link {...PAGES[id]} inherit underline="always">
            {title}
          </Link>{' '}
          {t(`checklist.steps.${id}.hint`)}
        </Text>
      )}
    </Group>
  )
}

/** Only operators have a checklist of their own: an admin token cannot dismiss it. */
function DismissButton() {
  const { t } = useTranslation('home')
  const isPerson = useSession().data?.operator.kind === 'person'
  const dismiss = useChange('post', '/admin/v1/setup/dismiss', { refresh: ['/admin/v1/setup'] })
  if (!isPerson) return null
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      color="gray"
      loading={dismiss.isPending}
      onClick={() => dismiss.mutate({}, { onError: notifyError })}
    >
      {t('checklist.dismiss')}
    </Button>
  )
}

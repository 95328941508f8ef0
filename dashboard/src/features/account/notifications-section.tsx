import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyError, notifyFailure, notifySuccess } from '../../ui/notify.ts'

const PATH = '/admin/v1/notifications'
type Topics = NonNullable<ReturnType<typeof useRead<typeof PATH>>['data']>['topics']

/** The operator’s topics of e-mail. Each choice is saved at once. */
export function NotificationsSection() {
  const { t } = useTranslation('account')
  const { data, error, refetch } = useRead(PATH)
  // The choice is shown at once, and taken back if it could not be saved.
  const [chosen, setChosen] = useState<Topics>()
  const update = useChange('put', PATH, { refresh: [PATH], onDone: () => notifySuccess(t('notifications.saved')) })
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return null
  if (data.sender === null)
    return (
      <Alert variant="light" color="gray" title={t('notifications.off')}>
        <Trans ns="account" i18nKey="notifications.setUp" components={{ code: <Code /> }} />
      </Alert>
    )
  const save = (values: string[]) => {
    const topics = data.available.filter((topic) => values.includes(topic))
    const takeBack = (error: unknown) => {
      setChosen(undefined)
      notifyError(error)
    }
    setChosen(topics)
    update.mutate({ body: { topics } }, { onSuccess: () => setChosen(undefined), onError: takeBack })
  }
  return (
    <Stack align="flex-start">
      <Text size="sm">{t('notifications.hint', { address: data.address })}</Text>
      <Checkbox.Group aria-label={t('notifications.title')} value={[...(chosen ?? data.topics)]} onChange={save}>
        <Stack gap="xs">
          {data.available.map((topic) => (
            <Checkbox key={topic} value={topic} label={t(`notifications.topics.${topic}`)} />
          ))}
        </Stack>
      </Checkbox.Group>
      {!data.has_links && (
        <Text size="xs" c="dimmed">
          <Trans ns="account" i18nKey="notifications.noLinks" components={{ code: <Code /> }} />
        </Text>
      )}
      <TestMailButton />
    </Stack>
  )
}

function TestMailButton() {
  const { t } = useTranslation('account')
  const send = useChange('post', '/admin/v1/notifications/test', {
    refresh: [],
    onDone: ({ delivered, failure }) => {
      if (delivered) notifySuccess(t('notifications.sent'))
      else notifyFailure(t('notifications.failed'), failure ?? '')
    },
  })
  return (
    <Group>
      <Button size="xs" variant="default" loading={send.isPending} onClick={() => send.mutate({}, { onError: notifyError })}>
        {t('notifications.test')}
      </Button>
    </Group>
  )
}

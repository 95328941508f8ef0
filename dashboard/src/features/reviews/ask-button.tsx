import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMessageQuestion } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import type { ReviewItem } from './review-item.ts'
import { useCacheItem } from './use-queue.ts'

const MAX_LENGTH = 1_000

/** Asks the requester of a held request. The next resubmission gets the question. */
export function AskButton({ item: { id, kind, message_id, question } }: { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const [opened, { open, close }] = useDisclosure()
  const [text, setText] = useState('')
  const cacheItem = useCacheItem()
  const finish = () => {
    setText('')
    close()
  }
  const ask = useChange('post', '/admin/v1/reviews/{id}/ask', {
    onDone: (changed) => {
      cacheItem(changed)
      notifySuccess(t('ask.done'))
      finish()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) ask.mutate({ params: { path: { id } }, body: { question: text.trim() } }, { onError: notifyError })
  }
  // Nothing is sent again for an escalation or a message between users.
  if (kind !== 'hold' || message_id !== null) return null
  return (
    <>
      <Button variant="default" leftSection={<IconMessageQuestion size={16} />} onClick={open}>
        {t('ask.action')}
      </Button>
      <FormModal opened={opened} title={t('ask.action')} unsaved={text !== '' && !ask.isPending} onClose={finish}>
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">{question === null ? t('ask.hint') : t('ask.replaces')}</Text>
            <Textarea
              label={t('ask.question')}
              data-autofocus
              autosize
              minRows={2}
              maxLength={MAX_LENGTH}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button type="submit" loading={ask.isPending} disabled={!text.trim()}>
                {t('ask.send')}
              </Button>
            </Group>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}

import { Badge, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { isAway, type Reviewer, useReviewers } from './use-reviewers.ts'

const DAY_MS = 86_400_000

/** Shows and sets the operator's own absence. Nothing for operators who cannot decide. */
export function AbsenceButton() {
  const { t } = useTranslation('reviews')
  const { own } = useReviewers()
  const [opened, { open, close }] = useDisclosure()
  if (!own) return null
  return (
    <>
      {isAway(own) && <Badge color="yellow">{t('absence.away')}</Badge>}
      <Button variant="default" onClick={open}>
        {t('absence.open')}
      </Button>
      {opened && <AbsenceDialog own={own} onClose={close} />}
    </>
  )
}

interface AbsenceDialogProps {
  readonly own: Reviewer
  readonly onClose: () => void
}

function AbsenceDialog({ own, onClose }: AbsenceDialogProps) {
  const { t } = useTranslation('reviews')
  const { reviewers } = useReviewers()
  const saved = daysOf(own)
  const [days, setDays] = useState(saved)
  const done = (text: string) => ({
    refresh: ['/admin/v1/reviewers', '/admin/v1/reviews'],
    onDone: () => {
      notifySuccess(text)
      onClose()
    },
  })
  const save = useChange('put', '/admin/v1/reviewers/me/absence', done(t('absence.saved')))
  const end = useChange('delete', '/admin/v1/reviewers/me/absence', done(t('absence.ended')))
  const isOrdered = days.first !== '' && days.last !== '' && days.first <= days.last
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isOrdered) save.mutate({ body: absenceOf(days) }, { onError: notifyError })
  }
  const unsaved = JSON.stringify(days) !== JSON.stringify(saved) && !save.isPending
  return (
    <FormModal opened title={t('absence.title')} unsaved={unsaved} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{t('absence.hint')}</Text>
          <TextInput
            type="date"
            label={t('absence.from')}
            required
            value={days.first}
            onChange={({ currentTarget }) => setDays({ ...days, first: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={t('absence.to')}
            required
            value={days.last}
            error={days.last !== '' && !isOrdered && t('absence.order')}
            onChange={({ currentTarget }) => setDays({ ...days, last: currentTarget.value })}
          />
          <Select
            label={t('absence.delegate')}
            placeholder={t('absence.noDelegate')}
            clearable
            searchable
            data={reviewers.filter(({ id }) => id !== own.id).map(({ id, name }) => ({ value: id, label: name }))}
            value={days.delegate}
            onChange={(delegate) => setDays({ ...days, delegate })}
          />
          <Group justify="flex-end">
            {own.absence && (
              <Button variant="default" loading={end.isPending} onClick={() => end.mutate({}, { onError: notifyError })}>
                {t('absence.end')}
              </Button>
            )}
            <Button type="submit" loading={save.isPending}>
              {t('absence.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  )
}

interface Days {
  /** Local dates, as `2026-11-24`; empty: not chosen. */
  readonly first: string
  readonly last: string
  readonly delegate: string | null
}

function daysOf({ absence }: Reviewer): Days {
  if (!absence) return { first: '', last: '', delegate: null }
  const last = new Date(Date.parse(absence.ends_at) - 1)
  return { first: dateOf(new Date(absence.starts_at)), last: dateOf(last), delegate: absence.delegate_id }
}

/** The whole days, in the operator's time zone. */
const absenceOf = ({ first, last, delegate }: Days) => ({
  starts_at: new Date(`${first}T00:00:00`).toISOString(),
  ends_at: startOfNextDay(last).toISOString(),
  delegate_id: delegate,
})

/** Also on days with 23 or 25 hours. */
const startOfNextDay = (day: string): Date => new Date(`${dateOf(new Date(Date.parse(`${day}T12:00:00`) + DAY_MS))}T00:00:00`)

const dateOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

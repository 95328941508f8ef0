import { Group, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ResponseOf } from '../../api/operations.ts'
import { useRead } from '../../api/queries.ts'
import { Link } from '../../ui/link.tsx'
import { type ReviewItem, ruleOf, STATES } from './review-item.ts'
import { useUserText } from './use-user-text.ts'

type History = ResponseOf<'get', '/admin/v1/reviews/{id}/history'>
type Counts = History['like']

/** Earlier decisions on like requests, and the key of the request: to decide alike, and to know the requesting Application. */
export function ReviewHistory({ item }: { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const userText = useUserText()
  const { data } = useRead('/admin/v1/reviews/{id}/history', { params: { path: { id: item.id } } })
  const { like, user, key } = data ?? {}
  const rule = ruleOf(item)?.id
  const ofLike = { rule, application: item.application_id ?? undefined }
  return (
    <Group gap="0 1rem" mih={ROW_HEIGHT} role="group" aria-label={t('history.title')}>
      {rule && like && <StateLinks name={t('history.like')} counts={like} search={ofLike} />}
      {user && <StateLinks name={t('history.user', { user: userText(item) })} counts={user} search={{ user: item.user_id }} />}
      {key && <Fact name={t('history.key')}>{keyText(key, t)}</Fact>}
    </Group>
  )
}

/** So that the text below does not move when the history is loaded. */
const ROW_HEIGHT = 22

const keyText = ({ name, issued_by, issued_by_name }: NonNullable<History['key']>, t: TFunction<'reviews'>): string =>
  issued_by === null ? name : t('history.keyBy', { name, issuer: issued_by_name ?? issued_by })

interface FactProps {
  readonly name: string
  readonly children: ReactNode
}

const Fact = ({ name, children }: FactProps) => (
  <Text size="sm" component="div">
    <Text span inherit c="dimmed">
      {name}
    </Text>{' '}
    {children}
  </Text>
)

interface StateLinksProps {
  readonly name: string
  readonly counts: Counts
  /** Filters of the queue, without the state. */
  readonly search: Readonly<Record<string, string | undefined>>
}

/** "3 approved, 1 denied", each with a link to these items. */
function StateLinks({ name, counts, search }: StateLinksProps) {
  const { t } = useTranslation('reviews')
  const shown = STATES.flatMap((state) => (counts[state] ? [{ state, number: counts[state] }] : []))
  return (
    <Fact name={name}>
      {shown.length === 0 && t('history.none')}
      {shown.map(({ state, number }, index) => (
        <Fragment key={state}>
          {index > 0 && ', '}
          <Link to="/reviews" underline="always" search={{ ...search, ...(state !== 'pending' && { state }) }}>
            {t(`history.states.${state}`, { number })}
          </Link>
        </Fragment>
      ))}
    </Fact>
  )
}

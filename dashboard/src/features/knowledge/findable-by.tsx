import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { type Acl, narrowingAcls, permitsNoUser } from './acl.ts'
import { useAclTexts } from './use-acl-texts.ts'

interface FindableByProps {
  readonly of: 'collection' | 'document'
  /** Each of them must include the user; none: no user is permitted. */
  readonly acls: readonly Acl[]
  readonly level: string
  /** Neither the document nor its collection has a classification, so that it counts as restricted. */
  readonly lacksClassification: boolean
  /** null: all. */
  readonly applications?: readonly string[] | null
  /** Opens the form that changes it. */
  readonly action?: ReactNode
}

/** Says in words which users can find documents. */
export function FindableBy({ of, acls, level, lacksClassification, applications = null, action }: FindableByProps) {
  const { t } = useTranslation('knowledge')
  const { membersOf } = useAclTexts()
  const lacksReaders = permitsNoUser(acls)
  const lacksApplications = applications?.length === 0
  const isHidden = lacksReaders || lacksApplications || lacksClassification
  const [only, ...more] = narrowingAcls(acls).map(membersOf)
  const readers = more.length === 0 ? only : [only, ...more].join('; ')
  const permitted = () => {
    if (lacksClassification) return t(`findable.${of}.noClassification`)
    if (readers === undefined) return t(`findable.${of}.all`)
    return more.length === 0 ? t(`findable.${of}.only`, { readers }) : t(`findable.${of}.onlyAll`, { readers })
  }
  return (
    <Alert
      variant="light"
      color={isHidden ? 'yellow' : 'gray'}
      icon={isHidden ? <IconEyeOff size={18} /> : <IconEye size={18} />}
      role="status"
      p="xs"
      styles={{ icon: { marginTop: 0 } }}
    >
      <Group justify="space-between" gap="xs">
        <Stack gap={2} flex="1 1 260px">
          <Text size="sm">{lacksReaders ? t(`findable.${of}.noReaders`) : permitted()}</Text>
          {lacksApplications && <Text size="sm">{t(`findable.${of}.noApplications`)}</Text>}
          {!isHidden && level !== 'public' && <Text size="sm">{t('findable.cleared', { level })}</Text>}
        </Stack>
        {action}
      </Group>
    </Alert>
  )
}

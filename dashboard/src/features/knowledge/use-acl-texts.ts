import { useTranslation } from 'react-i18next'
import { ACL_LISTS, type Acl, narrowingAcls, permitsNoUser } from './acl.ts'

export function useAclTexts() {
  const { t, i18n } = useTranslation('knowledge')
  const listOf = (type: Intl.ListFormatType, items: readonly string[]) =>
    new Intl.ListFormat(i18n.language, { type }).format(items)

  /** For the middle of a sentence: "department support or user carol". */
  const membersOf = (acl: Acl): string => {
    const permitted = acl.everyone ? t('acl.everyone') : namesOf(acl)
    return acl.deny ? t('acl.without', { permitted, denied: namesOf(acl.deny) }) : permitted
  }

  const namesOf = (names: NonNullable<Acl['deny']>): string =>
    listOf(
      'disjunction',
      ACL_LISTS.flatMap((list) => {
        const entries = names[list] ?? []
        return entries.length > 0 ? [t(`acl.${list}`, { count: entries.length, names: listOf('conjunction', entries) })] : []
      }),
    )

  /** Each of the ACLs must include the user: "Department support". */
  const readersOf = (acls: readonly Acl[]): string => {
    if (permitsNoUser(acls)) return t('acl.none')
    const [only, ...more] = narrowingAcls(acls).map(membersOf)
    if (only === undefined) return t('acl.all')
    return more.length === 0 ? capitalize(only) : t('acl.allOf', { readers: [only, ...more].join('; ') })
  }

  return { membersOf, readersOf }
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

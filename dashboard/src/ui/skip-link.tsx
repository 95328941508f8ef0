import { useTranslation } from 'react-i18next'
import classes from './skip-link.module.css'

/** First element in tab order; skips the navigation. */
export function SkipLink() {
  const { t } = useTranslation('ui')
  return (
    <a className={classes.link} href="#content">
      {t('skip')}
    </a>
  )
}

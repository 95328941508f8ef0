import { type FunctionalComponent, h } from 'vue'

/** An arch with a point that passes it: the logo of the dashboard (dashboard/src/app/icon.svg). */
export const Logo: FunctionalComponent = () =>
  h('svg', { class: 'logo', viewBox: '0 0 32 32', width: 24, height: 24, 'aria-hidden': 'true' }, [
    h('rect', { width: 32, height: 32, rx: 8, fill: '#4f5de6' }),
    h('path', { fill: '#fff', d: 'M7 26V15a9 9 0 0 1 18 0v11h-4.6V15a4.4 4.4 0 0 0-8.8 0v11z' }),
    h('circle', { cx: 16, cy: 21.2, r: 2.5, fill: '#fff' }),
  ])

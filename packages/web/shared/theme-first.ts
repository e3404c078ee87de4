/** Loaded before anything is drawn: the theme that the user has chosen here, if they have. */
const chosen = localStorage.getItem('tandem:web:theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen

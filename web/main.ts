import { render } from 'preact';
import { part } from './parts/markup.js';
import { watchLab } from './state/connection.js';
import { followAddress } from './state/route.js';
import { takeTokenFromAddress } from './state/token.js';
import { App } from './app.js';

takeTokenFromAddress();
window.addEventListener('hashchange', takeTokenFromAddress);
followAddress();
watchLab();

const page = document.getElementById('page');
if (!page) throw new Error('index.html has no #page');
render(part(App, {}), page);

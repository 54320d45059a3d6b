// The portal's name in the sidebar; a plumb line where there is no room for it.
import {
  Link,
  sidebarConfig,
  useSidebarOpenState,
} from '@backstage/core-components';
import { makeStyles } from '@material-ui/core/styles';

const useStyles = makeStyles({
  root: {
    height: 3 * sidebarConfig.logoHeight,
    display: 'flex',
    alignItems: 'center',
    marginBottom: -14,
  },
  link: {
    marginLeft: 24,
    color: '#ffffff',
    fontSize: 18,
    fontWeight: 600,
    whiteSpace: 'nowrap',
  },
});

const PlumbLine = () => (
  <svg width="24" height="32" viewBox="0 0 24 32" aria-hidden="true">
    <path
      d="M6 2h12M12 2v14M7 18h10l-5 12z"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinejoin="round"
    />
  </svg>
);

export const SidebarLogo = () => {
  const classes = useStyles();
  const { isOpen } = useSidebarOpenState();

  return (
    <div className={classes.root}>
      <Link to="/" underline="none" className={classes.link} aria-label="Home">
        {isOpen ? 'Plumbline portal' : <PlumbLine />}
      </Link>
    </div>
  );
};

"""`scipy.spatial.transform`: rotations, rigid transforms and what lies between them."""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker
from scipy.spatial.transform import RigidTransform, Rotation, Slerp
from scipy.spatial.transform._rigid_transform import normalize_dual_quaternion

_DRAW = np.random.default_rng(29)
QUATERNIONS = _DRAW.normal(size=(4, 4))
VECTORS = _DRAW.normal(size=(4, 3))
ANGLES = [[0.1, 0.2, 0.3], [1.0, -0.5, 0.25], [-2.0, 0.75, 1.5]]
AXES = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
MATRICES = Rotation.from_quat(QUATERNIONS).as_matrix()


def turned(a: Maker) -> Rotation:
    """Four rotations."""
    return Rotation.from_quat(a(QUATERNIONS))


def quaternions(rotation: Rotation) -> object:
    """A rotation as its numbers."""
    return rotation.as_quat()


def replaced(a: Maker) -> object:
    """Rotations with the first one replaced."""
    rotation = turned(a)
    rotation[0] = Rotation.from_quat(a(QUATERNIONS[3]))
    return quaternions(rotation)


ROTATIONS: dict[str, Case] = {
    "__getitem__": lambda a: [quaternions(turned(a)[1]), quaternions(turned(a)[1:3])],
    "__iter__": lambda a: [quaternions(one) for one in turned(a)],
    "__mul__": lambda a: quaternions(turned(a) * turned(a)[2]),
    "__pow__": lambda a: [quaternions(turned(a) ** n) for n in (2, -1, 0.5)],
    "__repr__": lambda a: repr(turned(a)[0]).startswith("Rotation.from_matrix"),
    "__setitem__": replaced,
    "align_vectors": lambda a: (lambda found: [quaternions(found[0]), found[1]])(
        Rotation.align_vectors(a(VECTORS), a(VECTORS[:, ::-1]), weights=a([1.0, 2.0, 1.0, 0.5]))
    ),
    "apply": lambda a: [
        turned(a).apply(a(VECTORS)),
        turned(a)[0].apply(a(VECTORS[0]), inverse=True),
    ],
    "approx_equal": lambda a: [
        turned(a).approx_equal(turned(a), atol=1e-6),
        turned(a).approx_equal(turned(a)[1], atol=0.1),
    ],
    "as_davenport": lambda a: turned(a).as_davenport(a(AXES), "extrinsic"),
    "as_euler": lambda a: [turned(a).as_euler("xyz"), turned(a).as_euler("ZXZ", degrees=True)],
    "as_matrix": lambda a: turned(a).as_matrix(),
    "as_mrp": lambda a: turned(a).as_mrp(),
    "as_quat": lambda a: [
        turned(a).as_quat(canonical=True),
        turned(a).as_quat(scalar_first=True),
        Rotation.from_quat(a(QUATERNIONS.reshape(2, 2, 4))).as_quat(),
    ],
    "as_rotvec": lambda a: [turned(a).as_rotvec(), turned(a).as_rotvec(degrees=True)],
    "concatenate": lambda a: quaternions(Rotation.concatenate([turned(a), turned(a)[0]])),
    "from_davenport": lambda a: quaternions(
        Rotation.from_davenport(a(AXES), "extrinsic", a(ANGLES))
    ),
    "from_euler": lambda a: [
        quaternions(Rotation.from_euler("xyz", a(ANGLES))),
        quaternions(Rotation.from_euler("z", a([[10.0], [20.0]]), degrees=True)),
    ],
    "from_matrix": lambda a: [
        quaternions(Rotation.from_matrix(a(MATRICES))),
        quaternions(Rotation.from_matrix(a(MATRICES[0] + 0.01))),
    ],
    "from_mrp": lambda a: quaternions(Rotation.from_mrp(a(VECTORS))),
    "from_quat": lambda a: [
        quaternions(turned(a)),
        quaternions(Rotation.from_quat(a(QUATERNIONS), scalar_first=True)),
    ],
    "from_rotvec": lambda a: quaternions(Rotation.from_rotvec(a(VECTORS))),
    "inv": lambda a: quaternions(turned(a).inv()),
    "magnitude": lambda a: [turned(a).magnitude(), turned(a)[0].magnitude()],
    "mean": lambda a: [
        quaternions(turned(a).mean()),
        quaternions(turned(a).mean(weights=a([1.0, 2.0, 3.0, 4.0]))),
    ],
    "reduce": lambda a: quaternions(turned(a).reduce(left=turned(a), right=turned(a)[1:])),
}


def moved(a: Maker) -> RigidTransform:
    """Four rigid transforms."""
    return RigidTransform.from_components(a(VECTORS), turned(a))


def shifted(a: Maker) -> object:
    """Rigid transforms with the first one replaced."""
    transform = moved(a)
    transform[0] = moved(a)[3]
    return transform.as_matrix()


RIGID: dict[str, Case] = {
    "__getitem__": lambda a: moved(a)[1].as_matrix(),
    "__iter__": lambda a: [one.as_matrix() for one in moved(a)],
    "__mul__": lambda a: (moved(a) * moved(a)[2]).as_matrix(),
    "__pow__": lambda a: [(moved(a) ** n).as_matrix() for n in (2, 0.5)],
    "__setitem__": shifted,
    "apply": lambda a: [moved(a).apply(a(VECTORS)), moved(a)[0].apply(a(VECTORS), inverse=True)],
    "as_components": lambda a: (lambda found: [found[0], quaternions(found[1])])(
        moved(a).as_components()
    ),
    "as_dual_quat": lambda a: moved(a).as_dual_quat(),
    "as_exp_coords": lambda a: moved(a).as_exp_coords(),
    "as_matrix": lambda a: moved(a).as_matrix(),
    "concatenate": lambda a: RigidTransform.concatenate([moved(a), moved(a)[0]]).as_matrix(),
    "from_components": lambda a: moved(a)[0].as_matrix(),
    "from_dual_quat": lambda a: RigidTransform.from_dual_quat(moved(a).as_dual_quat()).as_matrix(),
    "from_exp_coords": lambda a: RigidTransform.from_exp_coords(
        a(np.concatenate([VECTORS, VECTORS[:, ::-1]], axis=1))
    ).as_matrix(),
    "from_matrix": lambda a: RigidTransform.from_matrix(a(moved(a).as_matrix())).as_matrix(),
    "from_rotation": lambda a: RigidTransform.from_rotation(turned(a)).as_matrix(),
    "from_translation": lambda a: RigidTransform.from_translation(a(VECTORS)).as_matrix(),
    "inv": lambda a: moved(a).inv().as_matrix(),
    "mean": lambda a: moved(a).mean().as_matrix(),
}

CASES: dict[str, Case] = {f"spatial.transform.Rotation.{k}": v for k, v in ROTATIONS.items()}
CASES |= {f"spatial.transform.RigidTransform.{k}": v for k, v in RIGID.items()}
CASES |= {
    "spatial.transform.normalize_dual_quaternion": lambda a: normalize_dual_quaternion(
        a(np.concatenate([QUATERNIONS, QUATERNIONS[::-1]], axis=1))
    ),
    "spatial.transform.Slerp.__init__": lambda a: Slerp(
        a([0.0, 1.0, 2.0, 4.0]), turned(a)
    ).rotations.as_quat(),
    "spatial.transform.Slerp.__call__": lambda a: quaternions(
        Slerp(a([0.0, 1.0, 2.0, 4.0]), turned(a))(a([0.25, 1.0, 3.5]))
    ),
}
